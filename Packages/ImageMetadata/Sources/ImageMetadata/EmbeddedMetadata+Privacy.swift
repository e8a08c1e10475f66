public import ImageCore

extension EmbeddedMetadata {
    /// The metadata for a result that has only the image, upright: without orientation, thumbnail, and declarations of
    /// gain maps, films and other images in the file.
    public var forUprightImage: EmbeddedMetadata {
        var metadata = self
        metadata.exif = exif.map(ExifBlock.upright)
        metadata.xmp = xmp.flatMap(XMPPacket.withoutOtherParts)
        return metadata
    }

    /// What says whose the image is: artist, copyright, credit, contact and terms of use. The profile is left out.
    public var rights: EmbeddedMetadata {
        EmbeddedMetadata(
            exif: exif.flatMap(ExifBlock.rights), xmp: xmp.flatMap(XMPPacket.rights),
            iptc: iptc.flatMap(IPTCRecords.rights))
    }

    /// The metadata without what tells of persons and places.
    ///
    /// Keeps the rights of all blocks, the profile, and of Exif the orientation, the time, the camera's make and model,
    /// the lens and the exposure. Everything else goes: position, names and serial numbers, titles and captions,
    /// keywords, history, faces, thumbnails, and what a manufacturer adds.
    public var withoutPrivateData: EmbeddedMetadata {
        var metadata = rights
        metadata.exif = exif.flatMap(ExifBlock.withoutPrivateData)
        metadata.icc = icc
        return metadata
    }

    /// Returns a file without what tells of persons and places, and with the same pixels.
    ///
    /// The metadata is ``withoutPrivateData``. Comments, thumbnails, films, gain maps and other things that the image
    /// doesn't need go too.
    ///
    /// - Parameter file: A JPEG, PNG, WebP, AVIF, HEIC or JPEG XL file.
    /// - Throws: `ImageDecodingError.unknownFormat`, `.malformed` if the parts of the file can't be told apart, or
    ///   `.unsupported` for other formats, and for AVIF and HEIC files that are sequences, have items outside of `mdat`,
    ///   or less space than the metadata that is kept.
    public static func removingPrivateData(from file: Data) throws(ImageDecodingError) -> Data {
        let limits = DecodingLimits(encodedByteLimit: .max, metadataByteLimit: .max)
        let kept = EmbeddedMetadata(of: file, limits: limits).withoutPrivateData
        switch FileSignature.format(of: file) {
        case .jpeg: return try JPEGFile(file).onlyImage.replacing(kept).data
        case .png: return try PNGFile(file).onlyImage.replacing(kept).data
        case .webP: return try WebPFile(file).onlyImage.replacing(kept).data
        case .avif: return try items(of: file, .avif).onlyImage(with: kept)
        case .heic: return try items(of: file, .heic).onlyImage(with: kept)
        case .jpegXL: return try JXLFile(file).onlyImage.replacing(kept).data
        case let format?: throw .unsupported(format, "private data of this format")
        case nil: throw .unknownFormat
        }
    }
}
