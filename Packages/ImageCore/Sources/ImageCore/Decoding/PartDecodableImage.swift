/// An image of which a part can be decoded in less time and memory than the whole: a tile of a large photo.
///
/// Other images can be decoded in parts, too (`ImageTarget.part`): their rows are decoded, and most are discarded.
public protocol PartDecodableImage: OpenedImage {
    /// Decodes a part of a still image at its stored size, and passes its rows to a sink.
    ///
    /// The rows equal those of `decode(frame:size:layout:preference:into:)`, pixel for pixel. Errors are the same, but damage
    /// outside of the part needn't be found.
    ///
    /// - Parameters:
    ///   - part: The part, in stored orientation. It is inside of the image and not empty.
    ///   - layout: As for the whole image.
    ///   - sink: Receives each row of the part once, from the top.
    /// - Throws: `.malformed`, `.truncated`, `.unsupported`, `.limitExceeded`, or the error of the sink.
    func decode(
        part: PixelArea, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(ImageDecodingError)
}
