"""What a page did that no page of ours may do: errors, words on the console, requests to elsewhere."""

from urllib.parse import urlsplit


class Faults:
    """Gathers the faults of the pages of a test.

    What the Content-Security-Policy refuses, and each answer from 400 on, the browser puts on the console as well.
    """

    def __init__(self):
        self.seen = []
        self.asked = []
        self._expected = []

    def watch(self, page, origin):
        """Follow a page, which may ask one origin alone."""

        def follow(request):
            if request.url.startswith(f"{origin}/"):
                self.asked.append(f"{request.method} {request.url.removeprefix(origin)}")
            elif urlsplit(request.url).scheme.startswith(("http", "ws")):
                self.seen.append(f"asked elsewhere: {request.url}")

        page.on("console", self._hear)
        page.on("pageerror", self._fall)
        page.on("request", follow)

    @property
    def called(self):
        """The requests without those below `/explorer/`, such as the page's poll for changed services."""
        return [each for each in self.asked if "/explorer/" not in each]

    def expect(self, *words):
        """Faults that hold these words are what the test is about."""
        self._expected += words

    def expect_status(self, *statuses):
        """Answers with these statuses are what the test is about."""
        self.expect(*(f"the server responded with a status of {each} " for each in statuses))

    def check(self):
        """Fail when there was any other."""
        wrong = [each for each in self.seen if not any(words in each for words in self._expected)]
        assert not wrong, "\n".join(wrong)

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.seen.append(f"{message.type}: {message.text} {message.location['url']}")

    def _fall(self, error):
        self.seen.append(f"not caught: {error}")
