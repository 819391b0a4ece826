"""Encoders: text in, unit vectors out, behind one protocol."""

from memlab.encoders.base import Encoder, EncoderInfo, unit
from memlab.encoders.cache import CachedEncoder, cache_folder
from memlab.encoders.registry import NAMES, get_encoders

__all__ = ["NAMES", "CachedEncoder", "Encoder", "EncoderInfo", "cache_folder", "get_encoders", "unit"]
