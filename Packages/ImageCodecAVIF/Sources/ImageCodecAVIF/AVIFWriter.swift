#if AVIF
    import CImageCodecAVIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Encodes frames with libavif.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class. Pixels are only read during a call,
    /// and have the size of the image.
    @safe final class AVIFWriter {
        /// The units of a duration per second.
        static let timescale: UInt64 = 1000

        private let size: PixelSize
        private let handle: OpaquePointer

        init(size: PixelSize, settings: avif_settings, profile: Data) throws(EncodingFailure) {
            self.size = size
            let handle = unsafe profile.withUnsafeBytes { profile in
                unsafe avif_writer_open(
                    UInt32(size.width), UInt32(size.height), settings, Self.timescale, profile.baseAddress,
                    profile.count)
            }
            guard let handle = unsafe handle else { throw .failed(.avif, "libavif has no encoder or no memory") }
            unsafe self.handle = handle
        }

        deinit { unsafe avif_writer_close(handle) }

        /// Encodes a frame. The duration is 0 for a still image.
        func add(_ bitmap: Bitmap, duration: Int) throws(EncodingFailure) {
            precondition(bitmap.size == size)
            let outcome = unsafe bitmap.pixels.withUnsafeBufferPointer { pixels in
                unsafe avif_writer_add(handle, pixels.baseAddress, UInt64(duration))
            }
            guard outcome == avif_ok else { throw .failed(.avif, "libavif could not encode the image") }
        }

        func finish() throws(EncodingFailure) -> Data {
            var file = unsafe avif_bytes()
            let outcome = unsafe avif_writer_finish(handle, &file)
            defer { unsafe avif_free(&file) }
            guard outcome == avif_ok, let bytes = unsafe file.bytes else {
                throw .failed(.avif, "libavif could not write the file")
            }
            return unsafe Data(bytes: bytes, count: file.length)
        }
    }
#endif
