#if canImport(ImageIO)
    import CoreGraphics
    import Foundation
    import ImageCore
    import ImageIO

    /// The uniform type identifiers by which ImageIO names formats.
    enum SystemType {
        /// The formats that are recognized by their signatures.
        private static let known: [(format: ImageFormat, identifier: String)] = [
            (.jpeg, "public.jpeg"), (.png, "public.png"), (.webP, "org.webmproject.webp"), (.gif, "com.compuserve.gif"),
            (.heic, "public.heic"), (.avif, "public.avif"), (.jpegXL, "public.jpeg-xl"),
        ]

        static func isKnown(_ format: ImageFormat) -> Bool { known.contains { $0.format == format } }

        /// Returns the format with an identifier. Others than the known ones are named by its last part, for example
        /// "jpeg-2000" for public.jpeg-2000.
        private static func format(_ identifier: String) -> ImageFormat {
            known.first { $0.identifier == identifier }?.format
                ?? ImageFormat(rawValue: identifier.split(separator: ".").last.map(String.init) ?? identifier)
        }

        /// Returns the identifier of a format in a list of ImageIO.
        static func identifier(of format: ImageFormat, in list: CFArray) -> String? {
            (list as? [String] ?? []).first { Self.format($0) == format }
        }

        /// Returns the formats in a list of ImageIO, the known ones first.
        static func formats(in list: CFArray) -> [ImageFormat] {
            let listed = Set((list as? [String] ?? []).map(format))
            let others = listed.subtracting(known.map(\.format)).sorted { $0.rawValue < $1.rawValue }
            return known.map(\.format).filter(listed.contains) + others
        }

        /// Returns the format that ImageIO finds in the first bytes of a file.
        static func format(ofPrefix prefix: Data) -> ImageFormat? {
            let source = CGImageSourceCreateIncremental(nil)
            CGImageSourceUpdateData(source, Data(prefix) as CFData, false)
            return CGImageSourceGetType(source).map { format($0 as String) }
        }
    }
#endif
