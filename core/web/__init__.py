"""From a request to an operation and back: router, endpoint, bodies, responses, files, spreadsheets."""
