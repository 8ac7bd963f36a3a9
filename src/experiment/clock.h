// The name under which the sources of this module find the stopwatch.
#pragma once

#include "unscatter/base/stopwatch.h"
