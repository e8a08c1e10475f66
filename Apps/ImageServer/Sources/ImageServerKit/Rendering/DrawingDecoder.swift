import ImageCodecSVG
import ImageCore
import ImageDecoding

/// Draws SVG files in the size of the request, even if their own is smaller. Decodes other formats as its base does.
struct DrawingDecoder: SizedImageDecoder {
    let base: DownsamplingDecoder

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { try base.header(of: data) }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        try decoder(of: data, request).decode(data, request: request, isCancelled: isCancelled)
    }

    func makeFrameReader(of data: Data, request: DecodingRequest) throws(ImageDecodingError) -> any FrameReader {
        try decoder(of: data, request).makeFrameReader(of: data, request: request)
    }

    private func decoder(
        of data: Data, _ request: DecodingRequest
    ) throws(ImageDecodingError) -> DownsamplingDecoder {
        #if SVG
            // Reads no header of other formats twice.
            guard request.target != nil, SVGDecoder().recognizes(data.prefix(256)) else { return base }
            let header = try base.header(of: data)
            guard header.format == .svg else { return base }
            let decoder = SVGDecoder(size: request.outputSize(for: header.size))
            return DownsamplingDecoder(decoders: [decoder], limits: base.limits)
        #else
            return base
        #endif
    }
}
