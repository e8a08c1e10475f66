#if HEIF
    import ISOBoxes
    import ImageCore

    /// A property of an item (ISO/IEC 23008-12, 6.5).
    enum HEIFProperty {
        /// `ispe`: the size before transformations.
        case size(PixelSize)
        /// `irot`: quarter turns counterclockwise.
        case rotation(Int)
        /// `imir`: 0 exchanges top and bottom, 1 exchanges left and right.
        case mirroring(Int)
        /// `clap`.
        case aperture(CleanAperture)
        /// `colr` of type nclx.
        case color(CodingColor)
        /// `colr` with an ICC profile: its range in the file.
        case profile(Range<Int>)
        /// `auxC`: the type of an auxiliary image.
        case auxiliary(String)
        /// `hvcC`: the range of its content.
        case hevc(Range<Int>)
        /// A property that is ignored, because it does not change the pixels.
        case descriptive
        /// A property with another name. If it is essential, the item can't be decoded.
        case unknown(String)
    }

    /// The part of an image to show (ISO/IEC 14496-12, 12.1.4), in fractions of a pixel.
    struct CleanAperture {
        var width: Double
        var height: Double
        /// The center of the aperture relative to the center of the image.
        var horizontalOffset: Double
        var verticalOffset: Double

        /// Returns the part in whole pixels, or nil if it is not within the image.
        func area(in size: PixelSize) -> PixelArea? {
            let left = (horizontalOffset + (Double(size.width) - width) / 2).rounded(.down)
            let top = (verticalOffset + (Double(size.height) - height) / 2).rounded(.down)
            guard let left = Int(exactly: left), let top = Int(exactly: top), left >= 0, top >= 0,
                let width = Int(exactly: width.rounded(.down)), let height = Int(exactly: height.rounded(.down)),
                width > 0, height > 0, left <= size.width - width, top <= size.height - height
            else { return nil }
            return PixelArea(left: left, top: top, width: width, height: height)
        }
    }

    extension HEIFProperty {
        /// The names of properties that describe an image, without an effect on its pixels.
        private static let descriptiveNames: Set = [
            "pixi", "pasp", "free", "skip", "udes", "altt", "crtt", "mdft", "clli", "mdcv", "cclv", "amve", "rloc",
            "subs", "tols",
        ]

        /// Reads a property box in `ipco`.
        init(_ box: Box, of reader: BoxReader) throws(ImageDecodingError) {
            var fields = reader.fields(in: box.content)
            switch box.name {
            case "ispe":
                try fields.readVersion()
                self = .size(PixelSize(width: try fields.integer(4), height: try fields.integer(4)))
            case "irot": self = .rotation(try fields.integer(1) & 3)
            case "imir": self = .mirroring(try fields.integer(1) & 1)
            case "clap": self = .aperture(try CleanAperture(&fields))
            case "colr": self = try HEIFProperty(color: &fields)
            case "auxC":
                try fields.readVersion()
                self = .auxiliary(try fields.text())
            case "hvcC": self = .hevc(box.content)
            case let name: self = Self.descriptiveNames.contains(name) ? .descriptive : .unknown(name)
            }
        }

        private init(color fields: inout BoxFields) throws(ImageDecodingError) {
            switch try fields.name() {
            case "nclx":
                self = .color(
                    CodingColor(
                        primaries: try fields.integer(2), transfer: try fields.integer(2),
                        matrix: try fields.integer(2),
                        isFullRange: try fields.integer(1) & 0x80 != 0))
            case "prof", "rICC": self = .profile(fields.rest)
            default: self = .descriptive
            }
        }
    }

    extension CleanAperture {
        fileprivate init(_ fields: inout BoxFields) throws(ImageDecodingError) {
            width = try fields.fraction()
            height = try fields.fraction()
            horizontalOffset = try fields.fraction()
            verticalOffset = try fields.fraction()
        }
    }

    extension BoxFields {
        /// Reads a fraction of two 32-bit numbers with sign.
        fileprivate mutating func fraction() throws(ImageDecodingError) -> Double {
            let numerator = Int32(truncatingIfNeeded: try integer(4))
            let denominator = Int32(truncatingIfNeeded: try integer(4))
            guard denominator > 0 else { throw .malformed(.heic, "the clean aperture has an invalid fraction") }
            return Double(numerator) / Double(denominator)
        }
    }

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
        /// Returns the color of the decoded RGB. Throws `.unsupported` for unknown transfer functions.
        func source() throws(ImageDecodingError) -> SourceColor {
            try SourceColor(primaries: primaries, transfer: transfer, format: .heic)
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

        /// Returns the conversion of samples to RGB from 0 to `white` (H.273, 8.3): for each channel, the factors of luma and of both
        /// chroma samples, and an offset. Gray images have no matrix.
        func conversion(bitDepth: Int, isGray: Bool, white: Double = 255) throws(ImageDecodingError) -> [[Double]] {
            let unit = Double(1 << (bitDepth - 8))
            let largest = Double(1 << bitDepth - 1)
            let black = isFullRange ? 0 : 16 * unit
            let luma = white / (isFullRange ? largest : 219 * unit)
            let offset = -black * luma
            if isGray {
                return Array(repeating: [luma, 0, 0, offset], count: 3)
            }
            if matrix == 0 {
                // The planes are green, blue and red.
                return [[0, 0, luma, offset], [luma, 0, 0, offset], [0, luma, 0, offset]]
            }
            guard let weights else { throw .unsupported(.heic, "the matrix coefficients \(matrix)") }
            let chroma = white / (isFullRange ? largest : 224 * unit)
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
