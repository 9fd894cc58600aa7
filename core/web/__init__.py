"""From a request to an author's method and back: router, endpoint, bodies, answers, files, sheets."""
