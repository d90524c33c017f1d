from enum import IntEnum

class FlowControlStrategy(IntEnum):
    FLOW_CONTROL_UNICAST = 0
    FLOW_CONTROL_MAX = 1
    FLOW_CONTROL_MIN = 2
    FLOW_CONTROL_TAGGED = 3
