"""``make fuzz``: arbitrary bytes for whatever reads what a client, or an author, has written.

A target (`targets/`) takes bytes and raises when a rule of its own does not hold. It is driven for some time, with
`atheris` where that is installed (it sees which branches an input reaches), else with hypothesis. Each finding becomes
an ordinary test beside the code that it is about.
"""
