"""How the tests run: one profile of Hypothesis for everyone, and one for CI that never varies."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

# No deadline: the plain kernel on a slow machine takes as long as it takes, and is no less right for it.
# In CI the examples are the same in every run, so that a red build is red for its change.
_CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("dev", max_examples=100, **_CALM)
settings.register_profile("ci", max_examples=100, derandomize=True, database=None, **_CALM)
# For mutation tests: that a test fails is all they ask, so no time goes into a smaller example.
settings.register_profile(
    "unshrunk",
    parent=settings.get_profile("ci"),
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
)
settings.register_profile("thorough", max_examples=5000, **_CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))
