from enum import IntEnum

class StreamState(IntEnum):
    STREAM_INIT = 0
    STREAM_ACTIVE = 1
    STREAM_DRAINING = 2
    STREAM_LINGER = 3
    STREAM_DONE = 4

class FlowControlStrategy(IntEnum):
    FLOW_CONTROL_UNICAST = 0
    FLOW_CONTROL_MAX = 1
    FLOW_CONTROL_MIN = 2
    FLOW_CONTROL_TAGGED = 3

class CongestionControlStrategy(IntEnum):
    CONGESTION_CONTROL_STATIC = 0
    CONGESTION_CONTROL_CUBIC = 1

class SendMode(IntEnum):
    SEND_CONNECTED = 0
    SEND_MANUAL = 1
    SEND_DYNAMIC = 2
    SEND_RESPONSE = 3
