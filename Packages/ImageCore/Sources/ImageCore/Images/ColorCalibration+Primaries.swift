extension ColorCalibration {
    /// Creates a calibration with primaries of ITU-T H.273, table 2. Nil for unspecified and unknown ones.
    package init?(primaries codePoint: Int, transfer: Transfer) {
        switch codePoint {
        case 1: self.init(transfer: transfer)
        case 4: self.init(transfer, (0.67, 0.33), (0.21, 0.71), (0.14, 0.08), white: (0.310, 0.316))
        case 5: self.init(transfer, (0.64, 0.33), (0.29, 0.60), (0.15, 0.06))
        case 6, 7: self.init(transfer, (0.630, 0.340), (0.310, 0.595), (0.155, 0.070))
        case 8: self.init(transfer, (0.681, 0.319), (0.243, 0.692), (0.145, 0.049), white: (0.310, 0.316))
        case 9: self.init(transfer, (0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
        case 11: self.init(transfer, (0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: (0.314, 0.351))
        case 12: self.init(transfer, (0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
        case 22: self.init(transfer, (0.630, 0.340), (0.295, 0.605), (0.155, 0.077))
        default: return nil
        }
    }

    private init(
        _ transfer: Transfer, _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double),
        white: (Double, Double) = (0.3127, 0.3290)
    ) {
        self.init(
            transfer: transfer, white: Chromaticity(x: white.0, y: white.1), red: Chromaticity(x: red.0, y: red.1),
            green: Chromaticity(x: green.0, y: green.1), blue: Chromaticity(x: blue.0, y: blue.1))
    }
}
