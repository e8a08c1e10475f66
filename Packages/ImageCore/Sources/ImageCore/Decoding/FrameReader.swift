/// Decodes the frames of one file, one at a time: composited, upright, in sRGB and at the target size.
///
/// Synchronous and CPU-bound, and not `Sendable`. It holds no frames.
public protocol FrameReader: AnyObject {
    /// The header of the file.
    var header: ImageHeader { get }

    /// Decodes a frame. You can read the frames in any order; reading them in order may be faster.
    ///
    /// - Parameters:
    ///   - index: The frame, from 0.
    ///   - isCancelled: Called between rows. Return true to stop decoding.
    /// - Throws: `.noSuchFrame`, `.cancelled`, or an error of the decoder.
    func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> Bitmap
}

/// Decodes each frame of a file by itself.
final class IndependentFrameReader: FrameReader {
    let header: ImageHeader
    private let data: Data
    private let target: ImageTarget?
    private let decoder: any SizedImageDecoder

    init(_ data: Data, target: ImageTarget?, decoder: any SizedImageDecoder) throws(DecodingFailure) {
        header = try decoder.header(of: data)
        self.data = data
        self.target = target
        self.decoder = decoder
    }

    func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> Bitmap {
        try decoder.decode(data, request: DecodingRequest(target: target, frame: index), isCancelled: isCancelled)
            .bitmap
    }
}
