#if canImport(ImageIO)
    import CoreGraphics
    import Foundation
    import ImageCore

    /// The uniform type identifiers by which ImageIO names formats.
    enum SystemType {
        private static let identifiers: [(format: ImageFormat, identifier: String)] = [
            (.jpeg, "public.jpeg"), (.png, "public.png"), (.webP, "org.webmproject.webp"), (.gif, "com.compuserve.gif"),
            (.heic, "public.heic"), (.avif, "public.avif"), (.jpegXL, "public.jpeg-xl"),
        ]

        static func identifier(of format: ImageFormat) -> String? {
            identifiers.first { $0.format == format }?.identifier
        }

        /// Returns the known formats in a list of ImageIO.
        static func formats(in list: CFArray) -> [ImageFormat] {
            let listed = Set(list as? [String] ?? [])
            return identifiers.filter { listed.contains($0.identifier) }.map(\.format)
        }
    }
#endif
