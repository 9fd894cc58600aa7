"""The targets: a file each, with a class `Target` that is made once, in a folder it may write to, and called with bytes.

Its `seeds` are proper inputs, its `words` what inputs are likely to be made of.
"""

#: what can be fuzzed, in the order of a request's way
TARGETS = ("head", "headers", "body", "values")
