#if HEIF
    import ImageCore

    /// The transformative properties of an item (ISO/IEC 23008-12, 6.5.9 to 6.5.12).
    struct HEIFTransformation {
        private(set) var area: PixelArea
        /// Quarter turns clockwise, after the mirroring.
        private var turns = 0
        /// Whether left and right are exchanged.
        private var isMirrored = false

        /// Applies the properties in their order. The Exif orientation does not apply to HEIF.
        init(_ properties: [HEIFProperty], of image: HEIFImage) throws(DecodingFailure) {
            let size = image.size
            area = PixelArea(size)
            for property in properties {
                switch property {
                case .rotation(let quarters): turns += 4 - quarters
                case .mirroring(let axis):
                    turns = (axis == 0 ? 2 : 0) + 4 - turns % 4
                    isMirrored.toggle()
                case .aperture(let aperture):
                    guard turns % 4 == 0, !isMirrored, area == PixelArea(size) else {
                        throw .unsupported(.heic, "a clean aperture after a rotation")
                    }
                    guard let part = aperture.area(in: size) else {
                        throw .malformed(.heic, "the clean aperture exceeds the image")
                    }
                    area = part
                default: break
                }
            }
            let shown = PixelSize(width: area.width, height: area.height)
            let upright = orientation.swapsAxes ? shown.transposed : shown
            guard [size, shown, upright].contains(image.declaredSize) else {
                throw .malformed(.heic, "the size of an image is not that of its coding")
            }
        }

        var orientation: ImageOrientation {
            let (plain, mirrored): ([ImageOrientation], [ImageOrientation]) = (
                [.up, .right, .down, .left], [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
            )
            return (isMirrored ? mirrored : plain)[turns % 4]
        }
    }
#endif
