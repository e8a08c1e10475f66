import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata
import ImageProcessing

#if !canImport(ImageIO)
    import ImageCodecJPEG
#endif

extension ImageConverter {
    /// The quality of a changed map. What is lost there is multiplied in the image.
    private static let mapQuality = 0.95

    /// Returns the gain map of a JPEG file for a result. Nil if there is none, or if it can't be kept right.
    ///
    /// - Parameters:
    ///   - part: The part of the upright source that the result shows.
    ///   - size: The size of the result.
    ///   - isSameColor: Whether the result has the primaries of the source.
    func gainMap(
        of data: Data, _ header: ImageHeader, part: UnitRegion, size: PixelSize, isSameColor: Bool
    ) throws -> EmbeddedGainMap? {
        guard header.format == .jpeg, header.hasGainMap, let map = EmbeddedGainMap(of: data) else { return nil }
        do {
            // Only a gain that is the same for all channels fits other primaries.
            guard map.isGray || isSameColor else { return nil }
            let bitmap = try plainDecoder.decode(map.file).bitmap
            if part == .whole, size == header.size, header.orientation == .up { return map }
            let upright = try OrientationProcessor(header.orientation).process(bitmap)
            func side(_ length: Int, _ mapLength: Int, _ imageLength: Int) -> Int {
                max(1, Int((Double(length) * Double(mapLength) / Double(imageLength)).rounded()))
            }
            let mapSize = PixelSize(
                width: side(size.width, upright.size.width, header.size.width),
                height: side(size.height, upright.size.height, header.size.height))
            let changed = try ResizeProcessor(part, stretchedTo: mapSize, limits: settings.limits).process(upright)
            let options = EncodingOptions(quality: Self.mapQuality)
            return try map.replacingPixels(with: Self.mapEncoder(isGray: map.isGray).encode(changed, options: options))
        } catch is ImageDecodingError {
            // A damaged map is left out, and the losses of the result have it.
            return nil
        }
    }

    private static func mapEncoder(isGray: Bool) throws(ImageEncodingError) -> any ImageEncoder {
        #if canImport(ImageIO)
            if let encoder = [any ImageEncoder].all.encoder(for: .jpeg) { return encoder }
            throw .failed(.jpeg, "there is no encoder for it")
        #else
            return JPEGEncoder(isGray: isGray)
        #endif
    }
}

extension EmbeddedGainMap {
    /// Returns a file with this map, or without it if the map can't be described there. The losses of the file have it.
    func embeddedIfPossible(in file: Data) throws(ImageDecodingError) -> Data {
        do throws(ImageDecodingError) {
            return try embedded(in: file)
        } catch .unsupported {
            return file
        }
    }
}
