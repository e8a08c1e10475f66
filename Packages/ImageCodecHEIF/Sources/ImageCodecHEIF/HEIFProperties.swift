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
        init(_ box: Box, of reader: BoxReader) throws(DecodingFailure) {
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

        private init(color fields: inout BoxFields) throws(DecodingFailure) {
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
        fileprivate init(_ fields: inout BoxFields) throws(DecodingFailure) {
            width = try fields.fraction()
            height = try fields.fraction()
            horizontalOffset = try fields.fraction()
            verticalOffset = try fields.fraction()
        }
    }

    extension BoxFields {
        /// Reads a fraction of two 32-bit numbers with sign.
        fileprivate mutating func fraction() throws(DecodingFailure) -> Double {
            let numerator = Int32(truncatingIfNeeded: try integer(4))
            let denominator = Int32(truncatingIfNeeded: try integer(4))
            guard denominator > 0 else { throw .malformed(.heic, "the clean aperture has an invalid fraction") }
            return Double(numerator) / Double(denominator)
        }
    }
#endif
