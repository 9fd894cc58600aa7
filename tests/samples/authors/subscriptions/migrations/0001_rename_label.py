"""What is sold is called its title."""


def migrate(tables):
    tables.rename("subscriptions_subscription", "label", "title")
