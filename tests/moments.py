"""Moments to which tests set the clock with `as_if`."""

#: 29 February 2028, 23:59:59 UTC: the last second of a day and of a month
LEAP_DAY_END = 1835481599
#: 29 February 2028, midnight UTC
LEAP_DAY = 1835395200
