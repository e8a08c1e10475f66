import CImageCodecJPEG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JPEG image that is decoded while its bytes arrive.
///
/// An image with one scan is decoded row by row, and its rows are stored for previews. With several scans, a scan is
/// decoded once all of its bytes have arrived. Its bytes are stored until then, its coefficients until the end.
final class IncrementalJPEG: IncrementalImage {
    private let limits: DecodingLimits
    private var reader: JPEGReader?
    private var jpegHeader: JPEGHeader?
    private var output: (size: PixelSize, layout: PixelLayout)?
    private var byteCount = 0
    private var isDone = false
    /// The decoded rows of an image with one scan.
    private var rows: [UInt8] = []

    private(set) var extent = PreviewExtent.nothing

    init(limits: DecodingLimits) { self.limits = limits }

    var header: ImageHeader? { jpegHeader?.imageHeader }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        guard let stored = jpegHeader?.size else { return target }
        return DCTScale.smallest(of: stored, covering: target).applied(to: stored)
    }

    /// Returns the size of the coefficients of an image with several scans, or of the rows of another image.
    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int {
        guard let jpegHeader else { return 0 }
        if jpegHeader.hasSeveralScans { return jpegHeader.heldBytes(for: size) }
        let (bytes, overflow) = size.area.multipliedReportingOverflow(by: layout.bytesPerPixel)
        return overflow ? .max : bytes
    }

    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure) {
        guard let reader, let jpegHeader else { throw .malformed(.jpeg, "the header is not available yet") }
        let scale = try jpegHeader.scale(to: size, layout: layout)
        try jpegHeader.checkMemory(for: size, layout: layout, limits: limits)
        try reader.start(size: size, layout: layout, scale: scale, preference: .quality, limits: limits)
        output = (size, layout)
        try advance()
    }

    func append(_ bytes: Data) throws(DecodingFailure) {
        if isDone || bytes.isEmpty { return }
        byteCount += bytes.count
        try limits.check(.encodedBytes, byteCount)
        let opened = if let reader { reader } else { try JPEGReader(streamWithin: limits) }
        reader = opened
        try opened.append(bytes, limits: limits)
        if jpegHeader == nil { jpegHeader = try opened.readHeader(limits: limits) }
        try advance()
    }

    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure) {
        guard let reader, let jpegHeader, let output, extent.rows > 0 else { return }
        if jpegHeader.hasSeveralScans {
            return try reader.readPass(size: output.size, layout: output.layout, into: sink)
        }
        let stride = output.size.width * output.layout.bytesPerPixel
        let rows = rows
        for row in 0..<extent.rows {
            try sink.receive(rows.span.extracting(row * stride..<(row + 1) * stride))
        }
    }

    /// Decodes the available bytes.
    private func advance() throws(DecodingFailure) {
        guard let reader, let jpegHeader, let output else { return }
        if jpegHeader.hasSeveralScans {
            var progress = ILJ_WORKING
            while progress == ILJ_WORKING { progress = try reader.readScans(limits: limits) }
            isDone = progress == ILJ_DONE
            extent.passes = reader.scansRead
            extent.rows = reader.scansRead > 0 ? output.size.height : 0
        } else {
            let stride = output.size.width * output.layout.bytesPerPixel
            try reader.readAvailableRows(stride: stride, to: &rows)
            extent.rows = rows.count / stride
            isDone = extent.rows == output.size.height
            extent.passes = isDone ? 1 : 0
        }
    }
}
