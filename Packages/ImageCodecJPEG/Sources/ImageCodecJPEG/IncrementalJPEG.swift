import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JPEG file whose bytes are coming in.
///
/// An image of one scan is decoded row by row, and its rows are kept for the previews. Of one of several scans each is read
/// when all of it is there; its bytes are kept until then, its coefficients until the end.
final class IncrementalJPEG: IncrementalImage {
    private let limits: DecodingLimits
    private var reader: JPEGReader?
    private var found: JPEGHeader?
    private var output: (size: PixelSize, layout: PixelLayout)?
    private var byteCount = 0
    private var isDone = false
    private var failure: DecodingFailure?
    /// The rows so far of an image of one scan.
    private var rows: [UInt8] = []

    private(set) var extent = PreviewExtent.nothing

    init(limits: DecodingLimits) { self.limits = limits }

    var header: ImageHeader? { found?.imageHeader }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        guard let stored = found?.size else { return target }
        return DCTScale.smallest(of: stored, covering: target).applied(to: stored)
    }

    /// The coefficients of an image of several scans; the rows of others.
    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int {
        guard let found else { return 0 }
        if found.hasSeveralScans { return found.heldBytes(for: size) }
        let (bytes, overflow) = size.area.multipliedReportingOverflow(by: layout.bytesPerPixel)
        return overflow ? .max : bytes
    }

    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure) {
        guard let reader, let found else { throw .malformed(.jpeg, "no header yet") }
        let scale = try found.scale(to: size, layout: layout)
        try found.checkMemory(for: size, layout: layout, limits: limits)
        try reader.start(size: size, layout: layout, scale: scale, preference: .quality, limits: limits)
        output = (size, layout)
        try keepingFailure { () throws(DecodingFailure) in try advance() }
    }

    func append(_ bytes: Data) throws(DecodingFailure) {
        if let failure { throw failure }
        if isDone || bytes.isEmpty { return }
        try keepingFailure { () throws(DecodingFailure) in try take(bytes) }
    }

    private func take(_ bytes: Data) throws(DecodingFailure) {
        byteCount += bytes.count
        try limits.check(.encodedBytes, byteCount)
        let reader = try openedReader()
        try reader.append(bytes, limits: limits)
        if found == nil { found = try reader.readHeader(limits: limits) }
        try advance()
    }

    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure) {
        guard let reader, let found, let output, extent.rows > 0 else { return }
        if found.hasSeveralScans {
            return try reader.readPass(size: output.size, layout: output.layout, into: sink)
        }
        let stride = output.size.width * output.layout.bytesPerPixel
        let rows = rows
        for row in 0..<extent.rows {
            try sink.receive(rows.span.extracting(row * stride..<(row + 1) * stride))
        }
    }

    private func openedReader() throws(DecodingFailure) -> JPEGReader {
        if let reader { return reader }
        let opened = try JPEGReader(streamWithin: limits)
        reader = opened
        return opened
    }

    /// Decodes as far as the bytes reach.
    private func advance() throws(DecodingFailure) {
        guard let reader, let found, let output else { return }
        if found.hasSeveralScans {
            var progress = ScanProgress.working
            while progress == .working { progress = try reader.readScans(limits: limits) }
            isDone = progress == .done
            extent.passes = reader.scansRead
            extent.rows = reader.scansRead > 0 ? output.size.height : 0
        } else {
            let stride = output.size.width * output.layout.bytesPerPixel
            try reader.readArrivedRows(stride: stride, to: &rows)
            extent.rows = rows.count / stride
            isDone = extent.rows == output.size.height
            extent.passes = isDone ? 1 : 0
        }
    }

    /// What has failed once fails again.
    private func keepingFailure(_ body: () throws(DecodingFailure) -> Void) throws(DecodingFailure) {
        do throws(DecodingFailure) {
            try body()
        } catch {
            failure = error
            // The library may have taken over half of a damaged header: it is not asked for previews any more.
            if found?.hasSeveralScans == true { extent = .nothing }
            throw error
        }
    }
}
