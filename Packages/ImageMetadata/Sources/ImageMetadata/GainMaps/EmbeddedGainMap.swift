import ISOBoxes
public import ImageCore

/// The gain map of a JPEG, HEIC or AVIF file: a second image that says how much brighter an HDR display shows each part of the first.
///
/// Carry it over when you change an image and encode it again. The pixels of the map need the same changes:
///
/// ```swift
/// if let map = EmbeddedGainMap(of: photo) {
///     let pixels = try crop(decoder.decode(map.file).bitmap)
///     let file = try JPEGEncoder(isGray: map.isGray).encode(pixels)
///     result = try map.replacingPixels(with: file).embeddedIfPossible(in: result)
/// }
/// ```
///
/// `applying(_:of:keepsPrimaries:decoder:limits:)` of `ImageLoaderKit` does so for images that are turned, cut and resized.
public struct EmbeddedGainMap: Hashable, Sendable {
    /// A way to say what a map means.
    @nonexhaustive
    public enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
        /// Properties of XMP (Ultra HDR Image Format 1.1, Adobe's gain map specification 1.0).
        case ultraHDR
        /// A binary block (ISO 21496-1, annex C).
        case iso21496
        /// A type of auxiliary image (Apple's "Applying Apple HDR effect to your photos").
        case apple
    }

    /// How the map says what it means. Some files say it in two ways.
    public let kinds: Set<Kind>
    /// The map as a file of its own.
    ///
    /// Of a JPEG file, it is JPEG with the metadata that says how it is applied, and no other. It is turned like the stored
    /// pixels of the image, whose orientation applies to both. Of a HEIC or AVIF file, it has that format, and what it says
    /// about its orientation.
    public private(set) var file: Data
    /// Whether the map has one gain for all channels: its file has one component.
    public let isGray: Bool
    /// What says in a JPEG file how the map is applied.
    let description: [JPEGFile.Segment]
    /// What the first image says about ISO 21496-1: the versions.
    private let versions: Data

    /// Finds the gain map in the list of images of a JPEG file (CIPA DC-007, 5.2.3), or among the items of a HEIC or AVIF
    /// file: a derived image `tmap` (ISO/IEC 23008-12:2022/Amd 1), or Apple's auxiliary image.
    ///
    /// Reads no pixels. Nil if there is no map, if the parts of the file can't be told apart, or if the gains are for other
    /// primaries than those of the image and there is no profile that names them.
    ///
    /// - Parameter photo: The whole file.
    public init?(of photo: Data) {
        switch FileSignature.format(of: photo) {
        case .avif?, .heic?:
            guard let format = FileSignature.format(of: photo), let map = (try? ItemFile(photo, format))?.gainMap else {
                return nil
            }
            self = map
        default: self.init(of: photo, isAlone: false)
        }
    }

    /// Creates a map that isn't in a JPEG file.
    init(_ kind: Kind, file: Data, isGray: Bool, description: JPEGFile.Segment) {
        kinds = [kind]
        self.file = file
        self.isGray = isGray
        self.description = [description]
        versions = Self.identifier + Data(count: 4)
    }

    /// - Parameter isAlone: Whether the file may have only one more image than the first, the map.
    package init?(of photo: Data, isAlone: Bool) {
        guard photo.isJPEG, let first = try? JPEGFile(photo), case let others = first.otherImages(in: photo),
            !isAlone || others.count == 1 && others[0].endIndex == photo.endIndex
        else { return nil }
        let maps = others.lazy.filter(\.isJPEG).compactMap { try? JPEGFile($0) }
        guard let map = maps.first(where: { !$0.gainMapKinds.isEmpty }) else { return nil }
        kinds = map.gainMapKinds
        description = map.gainMapDescription
        file = map.gainMap(describedBy: description).data
        isGray = map.componentCount == 1
        versions = first.segments.first(where: \.isISOGainMap)?.body ?? Self.identifier + Data(count: 4)
    }

    /// Returns the map with other pixels and the same metadata.
    ///
    /// - Parameter jpeg: A JPEG file, gray if ``isGray``. Its own metadata is left out.
    /// - Throws: `ImageDecodingError.malformed` if it is none.
    public func replacingPixels(with jpeg: Data) throws(ImageDecodingError) -> EmbeddedGainMap {
        var map = self
        map.file = try Self.image(jpeg).gainMap(describedBy: description).data
        return map
    }

    /// Returns a JPEG file with this map after its image. The sizes and offsets that say where it is are written anew.
    ///
    /// - Parameter file: A JPEG file without gain map, turned like the map.
    /// - Throws: `ImageDecodingError.malformed` if it isn't such a file. `.unsupported` if the map can't be described:
    ///   it is no JPEG file, there is no space for XMP, or Apple's older kind lacks the Exif of the photograph, which has
    ///   the brightness.
    public func embedded(in file: Data) throws(ImageDecodingError) -> Data {
        var image = try Self.image(file)
        guard isJPEG else { throw .unsupported(.jpeg, "a gain map that is no JPEG file") }
        guard image.isOnlyImage else { throw .malformed(.jpeg, "more than an image") }
        if kinds == [.apple], !hasHeadroom, image.metadata.exif == nil {
            throw .unsupported(.jpeg, "a gain map whose brightness is in Exif, without Exif")
        }
        image.segments.removeAll(where: \.isISOGainMap)
        if kinds.contains(.ultraHDR) { try image.declareGainMap(byteCount: self.file.count) }
        if kinds.contains(.iso21496) { image.append(JPEGFile.Segment(marker: 0xE2, body: versions)) }
        return image.listing(imageOf: self.file.count).data + self.file
    }

    /// Returns a JPEG file with this map, or the file itself if the map can't be described there.
    ///
    /// - Parameter file: A JPEG file without gain map, turned like the map.
    /// - Throws: `ImageDecodingError.malformed` if it isn't such a file.
    public func embeddedIfPossible(in file: Data) throws(ImageDecodingError) -> Data {
        do throws(ImageDecodingError) {
            return try embedded(in: file)
        } catch .unsupported {
            return file
        }
    }

    /// Whether the map is a JPEG file, turned like the stored pixels of the image. Others are upright once decoded.
    package var isJPEG: Bool { file.isJPEG }

    /// Returns the map as a file without a profile, so that decoders don't convert its values like colors.
    package func fileWithoutColor() throws(ImageDecodingError) -> Data {
        guard isJPEG else { return file }
        var image = try JPEGFile(file)
        image.segments.removeAll(where: JPEGFile.isProfile)
        return image.data
    }

    /// Returns how a file says what its gain map means. Empty without a gain map, and if none can be found where the file
    /// says that it is.
    ///
    /// - Parameters:
    ///   - file: The whole file, also AVIF, HEIC and JPEG XL.
    ///   - header: The header that a decoder has read.
    public static func kinds(in file: Data, header: ImageHeader) -> Set<Kind> {
        guard header.hasGainMap else { return [] }
        switch header.format {
        case .jpeg: return EmbeddedGainMap(of: file)?.kinds ?? []
        // ISO/IEC 18181-2:2024, 9.10
        case .jpegXL: return [.iso21496]
        case .avif, .heic:
            guard let items = try? ItemFile(file, header.format) else { return [] }
            let isApple = items.items.appleGainMap(BoxReader(items.file, format: header.format)) != nil
            return Set((items.items.toneMap != nil ? [.iso21496] : []) + (isApple ? [.apple] : []))
        default: return []
        }
    }

    private static func image(_ file: Data) throws(ImageDecodingError) -> JPEGFile {
        guard file.isJPEG else { throw .malformed(.jpeg, "no JPEG file") }
        return try JPEGFile(file)
    }

    /// Whether Apple's metadata has the brightness. Older systems have it in the maker's note of Exif.
    private var hasHeadroom: Bool {
        description.contains { $0.body.firstRange(of: Data("HDRGainMapHeadroom".utf8)) != nil }
    }

    /// The text with which the metadata of ISO 21496-1 begins.
    static let identifier = Data("urn:iso:std:iso:ts:21496:-1".utf8) + [0]
}

extension Data {
    fileprivate var isJPEG: Bool { starts(with: [0xFF, 0xD8]) }
}
