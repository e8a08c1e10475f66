/// Returns the cosine of an angle in radians from 0 to 1,000, with an error of less than one unit in the last place.
///
/// It uses the method of fdlibm (https://www.netlib.org/fdlibm), as JavaScript engines do, and does not call the C library,
/// whose last bits differ between platforms. A hash must not differ: a frequency that an image doesn't have is halfway
/// between two levels, so the last bit decides.
func cosine(_ angle: Double) -> Double {
    let (quarter, rest) = reduced(angle)
    return switch quarter % 4 {
    case 0: cosine(rest)
    case 1: -sine(rest)
    case 2: -cosine(rest)
    default: sine(rest)
    }
}

/// An angle from -π/4 to π/4 as the sum of a number and its rounding error.
private struct SmallAngle {
    var value: Double
    var error: Double
}

/// Subtracts the nearest multiple of π/2. If most bits cancel out, uses more bits of π/2.
private func reduced(_ angle: Double) -> (quarter: Int, rest: SmallAngle) {
    guard angle > .pi / 4 else { return (0, SmallAngle(value: angle, error: 0)) }
    let quarter = Int(angle * 0x1.45f306dc9c883p-1 + 0.5)
    let count = Double(quarter)
    var difference = angle - count * HalfPi.first
    var correction = count * HalfPi.afterFirst
    if abs(difference - correction) < angle.binade * 0x1p-16 {
        let before = difference
        difference -= count * HalfPi.second
        correction = count * HalfPi.afterSecond - ((before - difference) - count * HalfPi.second)
    }
    let value = difference - correction
    return (quarter, SmallAngle(value: value, error: (difference - value) - correction))
}

/// π/2 as the sum of `first` and `afterFirst`, or of `first`, `second` and `afterSecond`. The first two have 33 bits, so that
/// their multiples are exact.
private enum HalfPi {
    static let first = 0x1.921fb544p0
    static let afterFirst = 0x1.0b4611a626331p-34
    static let second = 0x1.0b4611a6p-34
    static let afterSecond = 0x1.3198a2e037073p-69
}

private func cosine(_ angle: SmallAngle) -> Double {
    let (x, magnitude) = (angle.value, abs(angle.value))
    guard magnitude >= 0x1p-27 else { return 1 }
    let square = x * x
    let tail = square * series(cosineCoefficients, square) * square - x * angle.error
    guard magnitude >= 0.3 else { return 1 - (0.5 * square - tail) }
    // Taking off a number near half of the square first keeps the last bits of the difference from one.
    let part = magnitude > 0.78125 ? 0.28125 : leadingWord(of: magnitude) / 4
    return (1 - part) - ((0.5 * square - part) - tail)
}

private func sine(_ angle: SmallAngle) -> Double {
    let x = angle.value
    guard abs(x) >= 0x1p-27 else { return x }
    let square = x * x
    let cube = square * x
    let tail = series(sineCoefficients, square)
    return x - ((square * (0.5 * angle.error - cube * tail) - angle.error) - cube * firstSineCoefficient)
}

/// Returns a number without the lower 32 bits of its significand.
private func leadingWord(of value: Double) -> Double { Double(bitPattern: value.bitPattern & ~0xffff_ffff) }

/// Returns the polynomial with these coefficients, the lowest first.
private func series(_ coefficients: [Double], _ x: Double) -> Double {
    coefficients.dropLast().reversed().reduce(coefficients[coefficients.count - 1]) { $1 + x * $0 }
}

private let cosineCoefficients = [
    0x1.555555555554cp-5, -0x1.6c16c16c15177p-10, 0x1.a01a019cb159p-16, -0x1.27e4f809c52adp-22,
    0x1.1ee9ebdb4b1c4p-29, -0x1.8fae9be8838d4p-37,
]

private let firstSineCoefficient = -0x1.5555555555549p-3

private let sineCoefficients = [
    0x1.111111110f8a6p-7, -0x1.a01a019c161d5p-13, 0x1.71de357b1fe7dp-19, -0x1.ae5e68a2b9cebp-26, 0x1.5d93a5acfd57cp-33,
]
