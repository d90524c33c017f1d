"""Subscriptions that read a stream from its recording and live, as one."""
