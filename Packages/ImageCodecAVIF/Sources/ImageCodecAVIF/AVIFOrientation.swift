#if AVIF
    import ImageCore

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
