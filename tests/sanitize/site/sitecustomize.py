"""Has UBSan's library write its reports to files, in each Python process of ``make sanitize``.

The libraries of ASan and UBSan are two copies of one runtime. The options of both reach ASan's copy
alone, so that UBSan's reports would stay on stderr, where pytest drops them.
"""

import ctypes
import os

if prefix := os.environ.get("AERON_CLUSTER_REPORTS"):
    for name in os.environ.get("LD_PRELOAD", "").split():
        if "libubsan" in name:
            ctypes.CDLL(name).__sanitizer_set_report_path(f"{prefix}-undefined".encode())
