#if HEIF
    import ISOBoxes
    import ImageCore

    /// The color of coded samples, in code points of H.273.
    struct CodingColor: Hashable {
        /// ColourPrimaries, H.273 table 2. 2 is unspecified.
        var primaries = 2
        /// TransferCharacteristics, H.273 table 3. 2 is unspecified.
        var transfer = 2
        /// MatrixCoefficients, H.273 table 4. 2 is unspecified.
        var matrix = 2
        /// Whether samples use the full range of numbers, or for 8 bits 16 to 235 and 16 to 240.
        var isFullRange = false
    }

    extension CodingColor {
        /// Returns the calibration of the decoded RGB, or nil for sRGB. Throws `.unsupported` for HDR.
        func calibration() throws(DecodingFailure) -> ColorCalibration? {
            try ColorCalibration(primaries: primaries, transfer: transfer, format: .heic)
        }

        /// The weights of red and blue in luma (H.273, table 4). Nil if the matrix is not supported. Unspecified is BT.601.
        private var weights: (red: Double, blue: Double)? {
            switch matrix {
            case 1: (0.2126, 0.0722)
            case 4: (0.30, 0.11)
            case 2, 5, 6: (0.299, 0.114)
            case 7: (0.212, 0.087)
            case 9: (0.2627, 0.0593)
            default: nil
            }
        }

        /// Returns the conversion of samples to RGB from 0 to 255 (H.273, 8.3): for each channel, the factors of luma and of both
        /// chroma samples, and an offset. Gray images have no matrix.
        func conversion(bitDepth: Int, isGray: Bool) throws(DecodingFailure) -> [[Double]] {
            let unit = Double(1 << (bitDepth - 8))
            let largest = Double(1 << bitDepth - 1)
            let black = isFullRange ? 0 : 16 * unit
            let luma = 255 / (isFullRange ? largest : 219 * unit)
            let offset = -black * luma
            if isGray {
                return Array(repeating: [luma, 0, 0, offset], count: 3)
            }
            if matrix == 0 {
                // The planes are green, blue and red.
                return [[0, 0, luma, offset], [luma, 0, 0, offset], [0, luma, 0, offset]]
            }
            guard let weights else { throw .unsupported(.heic, "the matrix coefficients \(matrix)") }
            let chroma = 255 / (isFullRange ? largest : 224 * unit)
            let (red, blue) = (2 * (1 - weights.red) * chroma, 2 * (1 - weights.blue) * chroma)
            let green = 1 - weights.red - weights.blue
            func row(_ cb: Double, _ cr: Double) -> [Double] {
                [luma, cb, cr, offset - (cb + cr) * 128 * unit]
            }
            return [
                row(0, red), row(-blue * weights.blue / green, -red * weights.red / green), row(blue, 0),
            ]
        }
    }
#endif
