#if AVIF
    import ImageCore

    extension ColorCalibration {
        /// Returns the calibration of the code points of ITU-T H.273, or nil for sRGB.
        ///
        /// BT.601, BT.709 and BT.2020 count as sRGB's curve, as in browsers. Throws `.unsupported` for other transfer
        /// functions: PQ and HLG would need tone mapping.
        init?(primaries: Int, transfer: Int) throws(DecodingFailure) {
            let curve = try Transfer(codePoint: transfer)
            guard let colors = Self.primaries[primaries] else {
                if curve == .srgb { return nil }
                self.init(transfer: curve)
                return
            }
            self.init(
                transfer: curve, white: colors.white, red: colors.red, green: colors.green, blue: colors.blue)
        }

        private struct Primaries {
            var red: Chromaticity
            var green: Chromaticity
            var blue: Chromaticity
            var white: Chromaticity

            init(
                _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double),
                white: (Double, Double) = (0.3127, 0.3290)
            ) {
                self.red = Chromaticity(x: red.0, y: red.1)
                self.green = Chromaticity(x: green.0, y: green.1)
                self.blue = Chromaticity(x: blue.0, y: blue.1)
                self.white = Chromaticity(x: white.0, y: white.1)
            }
        }

        /// The primaries of ITU-T H.273, table 2, other than those of sRGB.
        private static let primaries: [Int: Primaries] = [
            4: Primaries((0.67, 0.33), (0.21, 0.71), (0.14, 0.08), white: (0.310, 0.316)),
            5: Primaries((0.64, 0.33), (0.29, 0.60), (0.15, 0.06)),
            6: Primaries((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
            7: Primaries((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
            8: Primaries((0.681, 0.319), (0.243, 0.692), (0.145, 0.049), white: (0.310, 0.316)),
            9: Primaries((0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
            11: Primaries((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: (0.314, 0.351)),
            12: Primaries((0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
            22: Primaries((0.630, 0.340), (0.295, 0.605), (0.155, 0.077)),
        ]
    }

    extension ColorCalibration.Transfer {
        /// Creates the transfer function of ITU-T H.273, table 3.
        fileprivate init(codePoint: Int) throws(DecodingFailure) {
            switch codePoint {
            case 4: self = .gamma(2.2)
            case 5: self = .gamma(2.8)
            case 8: self = .gamma(1)
            case 16: throw .unsupported(.avif, "the transfer function PQ needs tone mapping")
            case 18: throw .unsupported(.avif, "the transfer function HLG needs tone mapping")
            case 9, 10, 17: throw .unsupported(.avif, "the transfer function \(codePoint)")
            default: self = .srgb
            }
        }
    }

    extension ImageOrientation {
        /// Creates the orientation of an image that is rotated, then mirrored (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
        ///
        /// - Parameters:
        ///   - rotation: Quarter turns counterclockwise.
        ///   - mirror: 0 for none, 1 if the top and bottom are exchanged, 2 if the left and right are.
        init(rotation: Int, mirror: Int) {
            let orientations: [[ImageOrientation]] = [
                [.up, .downMirrored, .upMirrored],
                [.left, .leftMirrored, .rightMirrored],
                [.down, .upMirrored, .downMirrored],
                [.right, .rightMirrored, .leftMirrored],
            ]
            self = orientations[rotation & 3][min(max(mirror, 0), 2)]
        }

        /// The rotation and the mirroring, as for the initializer, that give this orientation.
        var transform: (rotation: Int, mirror: Int) {
            switch self {
            case .up: (0, 0)
            case .upMirrored: (0, 2)
            case .down: (2, 0)
            case .downMirrored: (0, 1)
            case .leftMirrored: (1, 1)
            case .right: (3, 0)
            case .rightMirrored: (3, 1)
            case .left: (1, 0)
            }
        }
    }
#endif
