/// Reads the orientation and the thumbnail in an Exif block.
///
/// An Exif block is a TIFF file (TIFF 6.0, section 2). In JPEG APP1 segments and some WebP files, it follows `Exif` and
/// two zero bytes (CIPA DC-008, section 4.7.2). Both forms are accepted.
public enum ExifReader {
    /// Returns the orientation tag of the first directory, or nil if it is missing or invalid.
    ///
    /// Never traps. Takes time proportional to the number of directory entries, at most 65,535.
    public static func orientation(in exif: Data) -> ImageOrientation? {
        guard let tiff = TIFFReader(exif), let directory = tiff.firstDirectory else { return nil }
        return tiff.integer(0x0112, in: directory).flatMap(ImageOrientation.init)
    }

    /// Returns the JPEG thumbnail that the second directory refers to (CIPA DC-008, section 4.5.4).
    ///
    /// Returns nil if there is none, if it exceeds the block, or if it doesn't start with a JPEG signature. Never
    /// traps. Takes time proportional to the number of directory entries, at most 131,070.
    package static func thumbnail(in exif: Data) -> Data? {
        guard let tiff = TIFFReader(exif), let directory = tiff.firstDirectory.flatMap(tiff.directory(after:)),
            // The tags JPEGInterchangeFormat and JPEGInterchangeFormatLength.
            let offset = tiff.integer(0x0201, in: directory), let length = tiff.integer(0x0202, in: directory),
            let thumbnail = tiff.data.part(at: offset, length), thumbnail.starts(with: [0xFF, 0xD8])
        else { return nil }
        return Data(thumbnail)
    }
}

extension TIFFReader {
    /// Returns the value of the first entry with a tag.
    fileprivate func integer(_ tag: Int, in directory: Int) -> Int? {
        entries(of: directory).first { $0.tag == tag }.flatMap(integer(of:))
    }
}
