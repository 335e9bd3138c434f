"""What NVML says of a GPU while it works, as harness/device/nvml.cpp queries it: power of the moment, its cap, and why the
clocks are not higher. What cannot be read is None."""
import ctypes

SUCCESS = 0
INSTANT_POWER = 186  # NVML_FI_DEV_POWER_INSTANT
REASONS = ("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "sync_boost", "sw_thermal_slowdown",
           "hw_thermal_slowdown", "hw_power_brake_slowdown", "display_clock_setting")


class FieldValue(ctypes.Structure):
    """nvmlFieldValue_t; a power takes the first half of its value."""
    _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("timestamp", ctypes.c_longlong),
                ("latency_us", ctypes.c_longlong), ("value_type", ctypes.c_int), ("status", ctypes.c_int),
                ("milliwatts", ctypes.c_uint), ("rest", ctypes.c_uint)]


def words(bits):
    return [REASONS[bit] if bit < len(REASONS) else f"bit_{bit}" for bit in range(64) if bits >> bit & 1]


class Nvml:
    """The GPU of this UUID, with or without "GPU-" before it."""

    def __init__(self, uuid, library=None):
        self.library, self.handle = None, ctypes.c_void_p()
        try:
            self.library = library or ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        name = "GPU-" + (uuid or "").removeprefix("GPU-")
        if self.library.nvmlInit_v2() != SUCCESS or \
                self.library.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(self.handle)) != SUCCESS:
            self.library = None

    def _read(self, function, value):
        if self.library is None:
            return None
        call = getattr(self.library, function, None)
        return value if call and call(self.handle, ctypes.byref(value)) == SUCCESS else None

    def _watts(self, function):
        read = self._read(function, ctypes.c_uint())
        return None if read is None else read.value / 1000

    def power_cap_w(self):
        return self._watts("nvmlDeviceGetEnforcedPowerLimit")

    def power_w(self):
        if self.library is None:
            return None
        field = FieldValue(id=INSTANT_POWER)
        call = getattr(self.library, "nvmlDeviceGetFieldValues", None)
        if call and call(self.handle, 1, ctypes.byref(field)) == SUCCESS and field.status == SUCCESS:
            return field.milliwatts / 1000
        return self._watts("nvmlDeviceGetPowerUsage")

    def event_reasons(self):
        for function in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            read = self._read(function, ctypes.c_ulonglong())
            if read is not None:
                return words(read.value)
        return None

    def load(self):
        return {"power_w": self.power_w(), "event_reasons": self.event_reasons()}
