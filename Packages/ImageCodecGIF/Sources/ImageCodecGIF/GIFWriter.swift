import CImageCodecGIF
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes a file with giflib.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
@safe final class GIFWriter {
    private let handle: OpaquePointer

    init(size: PixelSize, repetitions: Int?) throws(EncodingFailure) {
        let handle = unsafe gif_writer_open(CInt(size.width), CInt(size.height), CInt(repetitions ?? -1))
        guard let handle = unsafe handle else { throw Self.failure }
        unsafe self.handle = handle
    }

    deinit { unsafe gif_writer_close(handle) }

    private static var failure: EncodingFailure { .failed(.gif, "giflib could not write the file") }

    func put(
        _ image: IndexedImage, at area: PixelArea, delay: Duration, clears: Bool, isInterlaced: Bool
    ) throws(EncodingFailure) {
        var frame = gif_writer_frame()
        (frame.left, frame.top) = (CInt(area.left), CInt(area.top))
        (frame.width, frame.height) = (CInt(area.width), CInt(area.height))
        frame.is_interlaced = isInterlaced ? 1 : 0
        frame.disposal = clears ? 2 : 1
        frame.delay = CInt(delay.hundredths)
        frame.transparent_index = CInt(image.transparentIndex ?? -1)
        let palette = image.paddedPalette
        frame.palette_count = CInt(palette.count / 3)
        precondition(image.indices.count == area.width * area.height, "the number of indices does not match the area")
        let isGood = unsafe gif_writer_put(handle, &frame, palette, image.indices)
        if isGood == 0 { throw Self.failure }
    }

    /// Finishes the file and returns it. Must be the last call.
    func finish() throws(EncodingFailure) -> Data {
        var bytes: UnsafePointer<UInt8>?
        var length = 0
        guard unsafe gif_writer_finish(handle, &bytes, &length) != 0, let bytes = unsafe bytes else {
            throw Self.failure
        }
        return unsafe Data(bytes: bytes, count: length)
    }
}

extension Duration {
    /// The duration in hundredths of a second, rounded and clamped to 0...65,535.
    fileprivate var hundredths: Int {
        let (seconds, attoseconds) = limited.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 656 else { return 65_535 }
        return min(Int(seconds) * 100 + Int((attoseconds + 5_000_000_000_000_000) / 10_000_000_000_000_000), 65_535)
    }
}
