"""The transport client: Aeron, publications, subscriptions, images."""
