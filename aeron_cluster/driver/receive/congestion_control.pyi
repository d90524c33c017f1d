from enum import IntEnum

class CongestionControlStrategy(IntEnum):
    CONGESTION_CONTROL_STATIC = 0
    CONGESTION_CONTROL_CUBIC = 1
