package import ImageCore

extension ColorCalibration {
    /// Creates the calibration of code points of ITU-T H.273, tables 2 and 3. Nil for sRGB.
    ///
    /// The curves of BT.601, BT.709 and BT.2020 count as that of sRGB, as in browsers. Throws `.unsupported` for other transfer
    /// functions: PQ and HLG would need tone mapping.
    package init?(primaries: Int, transfer: Int, format: ImageFormat) throws(DecodingFailure) {
        let curve: Transfer
        switch transfer {
        case 4: curve = .gamma(2.2)
        case 5: curve = .gamma(2.8)
        case 8: curve = .gamma(1)
        case 16: throw .unsupported(format, "the transfer function PQ needs tone mapping")
        case 18: throw .unsupported(format, "the transfer function HLG needs tone mapping")
        case 9, 10, 17: throw .unsupported(format, "the transfer function \(transfer)")
        default: curve = .srgb
        }
        self = ColorCalibration(primaries: primaries, transfer: curve) ?? ColorCalibration(transfer: curve)
        if self == ColorCalibration(transfer: .srgb) { return nil }
    }
}
