import CImageCodecWebP
import ImageCore

extension WebPImage {
    /// Decodes the image, whose chunks are in `range`, to RGBA without padding, in memory from `pool` if there is one.
    func pixels(at range: Range<Int>, of data: Data, pool: PixelBufferPool?) throws(ImageDecodingError) -> [UInt8] {
        var pixels = Self.memory(byteCount: 4 * size.area, pool: pool)
        // On an error, pixels that libwebp has not written are discarded.
        try decode(at: range, of: data, into: &pixels)
        return pixels
    }

    /// Returns memory with arbitrary bytes, from `pool` if there is one.
    static func memory(byteCount: Int, pool: PixelBufferPool?) -> [UInt8] {
        if let pool { return pool.takeFilled(byteCount: byteCount) }
        return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { $1 = byteCount }
    }

    /// Decodes the image to RGBA without padding.
    func decode(at range: Range<Int>, of data: Data, into pixels: inout [UInt8]) throws(ImageDecodingError) {
        let outcome = unsafe pixels.withUnsafeMutableBufferPointer { target in
            unsafe decode(at: range, of: data, into: target, stride: 4 * size.width)
        }
        try check(outcome)
    }

    /// Decodes the image to `target`, with rows that are `stride` bytes apart. The last row needs no padding.
    @unsafe func decode(
        at range: Range<Int>, of data: Data, into target: UnsafeMutableBufferPointer<UInt8>, stride: Int
    ) -> webp_outcome {
        precondition(stride >= 4 * size.width && target.count >= (size.height - 1) * stride + 4 * size.width)
        let outcome = unsafe data.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            return unsafe webp_decode(part.baseAddress, part.count, target.baseAddress, stride, target.count)
        }
        // A lossless image stores alpha even if its header declares none, and the header applies (RFC 9649, 3.4).
        if outcome == webp_ok, isLossless, !hasAlpha, let first = target.baseAddress {
            for y in 0..<size.height { unsafe webp_make_opaque(first + y * stride, size.width) }
        }
        return outcome
    }
}

/// Decoding with half the sides, from the planes of luma and chroma. It needs less time and memory than from RGBA.
///
/// The sides of the chroma planes are halved and rounded up (RFC 6386, 2), so that each pixel has one sample of chroma.
extension WebPImage {
    /// Half the size, rounded up, of a lossy image without alpha. Lossless images have no planes, and the color of
    /// transparent pixels would affect their neighbors.
    var halfSize: PixelSize? {
        isLossless || hasAlpha ? nil : size.divided(by: 2)
    }

    /// Returns the smallest size that covers `target`: that of the image, or half of it.
    func decodableSize(covering target: PixelSize) -> PixelSize {
        guard let halfSize, halfSize.width >= target.width, halfSize.height >= target.height else { return size }
        return halfSize
    }

    /// Returns the memory in bytes for the pixels, or for the planes if `decodedSize` is half the size.
    func byteCount(decodedAt decodedSize: PixelSize) -> Int {
        decodedSize == size ? 4 * size.area : webp_planes_length(CInt(size.width), CInt(size.height))
    }

    /// Decodes the image, whose chunks are in `range`, to pixels or planes, in memory from `pool` if there is one.
    func decoded(
        at range: Range<Int>, of data: Data, size decodedSize: PixelSize, pool: PixelBufferPool?
    ) throws(ImageDecodingError) -> [UInt8] {
        if decodedSize == size { return try pixels(at: range, of: data, pool: pool) }
        let (width, height) = (CInt(size.width), CInt(size.height))
        var planes = Self.memory(byteCount: byteCount(decodedAt: decodedSize), pool: pool)
        // On an error, samples that libwebp has not written are discarded.
        let outcome = unsafe planes.withUnsafeMutableBufferPointer { planes in
            unsafe data.withUnsafeBytes { bytes in
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
                return unsafe webp_decode_planes(part.baseAddress, part.count, width, height, planes.baseAddress)
            }
        }
        try check(outcome)
        return planes
    }

    /// Sends rows from decoded pixels or planes.
    func send(
        _ rows: Range<Int>, of decoded: Span<UInt8>, size decodedSize: PixelSize, to sink: any PixelRowSink
    ) throws(ImageDecodingError) {
        precondition(decodedSize == size || decodedSize == halfSize)
        precondition(decoded.count == byteCount(decodedAt: decodedSize))
        precondition(rows.lowerBound >= 0 && rows.upperBound <= decodedSize.height)
        let stride = 4 * decodedSize.width
        if decodedSize == size {
            for row in rows { try sink.receive(decoded.extracting(row * stride..<(row + 1) * stride)) }
        } else {
            var rgba = [UInt8](repeating: 0, count: stride)
            for row in rows {
                writeHalfRow(row, of: decoded, to: &rgba)
                try sink.receive(rgba.span)
            }
        }
    }

    private func writeHalfRow(_ row: Int, of planes: Span<UInt8>, to rgba: inout [UInt8]) {
        // Sound: the pointers are used in the call only. By the preconditions of `send`, the planes and the row are complete.
        unsafe planes.withUnsafeBufferPointer { planes in
            unsafe rgba.withUnsafeMutableBufferPointer { rgba in
                unsafe webp_half_row(
                    planes.baseAddress, CInt(size.width), CInt(size.height), CInt(row), rgba.baseAddress)
            }
        }
    }
}

/// Decodes the available bytes of an image, at its size or with half the sides.
///
/// Safe: handle and memory are valid from `init` to `deinit` and never leave the class. Only rows that libwebp has
/// written are read.
@safe final class WebPSession {
    /// The size of the decoded image.
    let size: PixelSize
    /// The number of decoded rows from the top.
    private(set) var rows = 0
    /// Whether the whole image is decoded.
    private(set) var isComplete = false
    private let image: WebPImage
    /// The pixels, or the planes of an image that is decoded with half the sides.
    private let memory: UnsafeMutablePointer<UInt8>
    private let handle: OpaquePointer

    /// Creates a session.
    ///
    /// - Parameter size: The size of the image, or half of it if the image has one.
    init(_ image: WebPImage, size: PixelSize) throws(ImageDecodingError) {
        precondition(size == image.size || size == image.halfSize)
        self.image = image
        self.size = size
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: image.byteCount(decodedAt: size))
        let pixels = image.isLossless && !image.hasAlpha ? webp_output_opaque : webp_output_rgba
        let output = size == image.size ? pixels : webp_output_planes
        let handle = unsafe webp_session_open(CInt(image.size.width), CInt(image.size.height), output, memory)
        guard let handle = unsafe handle else {
            unsafe memory.deallocate()
            throw .unsupported(.webP, "libwebp could not allocate memory")
        }
        unsafe self.memory = memory
        unsafe self.handle = handle
    }

    deinit {
        unsafe webp_session_close(handle)
        unsafe memory.deallocate()
    }

    /// Decodes the bytes of the image's chunks, always from the first byte. Does not throw `.truncated`.
    func update(_ bytes: Data) throws(ImageDecodingError) {
        guard !isComplete else { return }
        var rows = CInt(0)
        let outcome = unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe webp_session_update(handle, start, bytes.count, &rows)
        }
        if outcome != webp_truncated { try check(outcome) }
        isComplete = outcome == webp_ok
        if isComplete { self.rows = size.height } else { self.rows = size == image.size ? Int(rows) : Int(rows) / 2 }
    }

    /// Sends rows, which must be decoded, to `sink`.
    func send(_ range: Range<Int>, to sink: any PixelRowSink) throws(ImageDecodingError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= rows)
        let decoded = unsafe UnsafeBufferPointer(start: memory, count: image.byteCount(decodedAt: size))
        try image.send(range, of: unsafe Span(_unsafeElements: decoded), size: size, to: sink)
    }

    /// The decoded rows, as RGBA without padding. Only for an image that is decoded at its size.
    var decodedPart: [UInt8] {
        precondition(size == image.size)
        return unsafe [UInt8](UnsafeRawBufferPointer(start: memory, count: 4 * rows * size.width))
    }
}

extension AnimationCanvas {
    /// Decodes the next frame onto the canvas. Discard the canvas if this throws.
    ///
    /// - Parameter pool: Provides the memory of a frame that is blended.
    mutating func draw(_ frame: WebPFrame, of data: Data, pool: PixelBufferPool?) throws(ImageDecodingError) {
        begin(frame.onCanvas)
        if frame.blends && frame.image.hasAlpha {
            let pixels = try frame.image.pixels(at: frame.data, of: data, pool: pool)
            draw(pixels, at: frame)
            pool?.give(pixels)
        } else {
            try decode(frame, of: data)
        }
    }

    /// Draws the first rows of a truncated frame.
    mutating func draw(_ frame: WebPFrame, firstRows: [UInt8]) {
        begin(frame.onCanvas)
        draw(firstRows, at: frame)
        limit(toRows: firstRows.count / (4 * frame.area.width))
    }

    /// Decodes a frame that is not blended.
    private mutating func decode(_ frame: WebPFrame, of data: Data) throws(ImageDecodingError) {
        let start = range(ofRow: 0, in: frame.area).lowerBound
        let stride = range(ofRow: 1, in: frame.area).lowerBound - start
        let outcome = unsafe pixels.withUnsafeMutableBufferPointer { canvas in
            unsafe frame.image.decode(at: frame.data, of: data, into: canvas.extracting(start...), stride: stride)
        }
        try check(outcome)
    }

    /// Draws the first rows of a frame, or all of them.
    private mutating func draw(_ rows: [UInt8], at frame: WebPFrame) {
        let (blends, stride) = (frame.blends && frame.image.hasAlpha, 4 * frame.area.width)
        for y in 0..<rows.count / stride {
            let (source, target) = (y * stride..<(y + 1) * stride, range(ofRow: y, in: frame.area))
            if blends {
                blend(rows.span.extracting(source), into: target)
            } else {
                pixels.replaceSubrange(target, with: rows[source])
            }
        }
    }

    private mutating func blend(_ row: Span<UInt8>, into range: Range<Int>) {
        precondition(row.count == range.count)
        // Sound: by the precondition, both rows are equally long.
        unsafe pixels.withUnsafeMutableBufferPointer { canvas in
            unsafe row.withUnsafeBufferPointer { row in
                unsafe webp_blend(row.baseAddress, row.count / 4, canvas.extracting(range).baseAddress)
            }
        }
    }
}
