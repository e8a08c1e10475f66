#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Returns the sine of a phase, with a period of 1.
func oscillation(_ phase: Float) -> Float { sin(phase * 2 * .pi) }

/// Returns the angle of a direction, in radians.
func angle(_ x: Float, _ y: Float) -> Float { atan2(y, x) }

func cosine(_ radians: Float) -> Float { cos(radians) }
