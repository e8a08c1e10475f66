/// Decodes the frames of one file, one at a time: composited, upright, and in the size and color space of a request.
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
    func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(ImageDecodingError) -> Bitmap
}

extension FrameReader {
    /// Decodes a frame. Throws `.cancelled` soon after the current task is cancelled.
    /// - Parameter index: The frame, from 0.
    public func frame(at index: Int) throws(ImageDecodingError) -> Bitmap {
        try frame(at: index) { Task.isCancelled }
    }
}

/// Decodes each frame of a file by itself.
final class IndependentFrameReader: FrameReader {
    let header: ImageHeader
    private let data: Data
    private var request: DecodingRequest
    private let decoder: any SizedImageDecoder

    init(_ data: Data, request: DecodingRequest, decoder: any SizedImageDecoder) throws(ImageDecodingError) {
        header = try decoder.header(of: data)
        self.data = data
        self.request = request
        self.decoder = decoder
    }

    func frame(at index: Int, isCancelled: @Sendable () -> Bool) throws(ImageDecodingError) -> Bitmap {
        request.frame = index
        return try decoder.decode(data, request: request, isCancelled: isCancelled).bitmap
    }
}
