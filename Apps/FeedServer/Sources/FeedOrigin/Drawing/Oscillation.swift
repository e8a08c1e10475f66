#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One swing to and fro while `phase` goes from 0 to 1, beginning at 0.
func swing(_ phase: Float) -> Float { sin(phase * 2 * .pi) }

/// The angle of a direction, in radians.
func angle(_ x: Float, _ y: Float) -> Float { atan2(y, x) }

func cosine(_ radians: Float) -> Float { cos(radians) }
