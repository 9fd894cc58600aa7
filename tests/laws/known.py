"""Findings that wait for their cause: a series that comes upon one ends there, so that the search finds the next.

Name → whether a broken law, its message and the series are this finding. Empty when nothing waits.
"""

from __future__ import annotations

KNOWN = {}
