public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Feeds an image to an incremental decoder in pieces, and compares with what comes of it in one piece.
///
/// Like `HostileInputCheck`, for any bytes: the promises of `IncrementalImage` hold, or a typed error is thrown.
public struct IncrementalDecodingCheck: Sendable {
    public var decoder: any IncrementalImageDecoder
    public var limits: DecodingLimits
    /// Whether an image that can be decoded must have come in whole. Not so for a format that lets a file end without saying so:
    /// a decoder that waits for more can't know.
    public var expectsWholeImages: Bool

    public init(
        _ decoder: any IncrementalImageDecoder, limits: DecodingLimits = HostileInputCheck.smallLimits,
        expectsWholeImages: Bool = true
    ) {
        self.decoder = decoder
        self.limits = limits
        self.expectsWholeImages = expectsWholeImages
    }

    /// Throws `ContractViolation` when the decoder breaks a promise.
    ///
    /// - Parameters:
    ///   - lengths: the lengths of the pieces, used over and over; empty for a single piece. Those below 1 count as 1.
    ///   - divisor: by how much the previews are smaller than the image, as far as the codec scales.
    ///   - layout: that of the previews, or nil for the image's native one.
    public func examine(
        _ data: Data, cutInto lengths: [Int], divisor: Int = 1, layout: PixelLayout? = .rgba8
    ) throws(ContractViolation) {
        let whole = Feeding(decoder.makeIncrementalImage(limits: limits), divisor: divisor, layout: layout)
        try whole.feed(data)
        try whole.look()
        let pieces = Feeding(decoder.makeIncrementalImage(limits: limits), divisor: divisor, layout: layout)
        try feed(pieces, data, cutInto: lengths.map { max(1, $0) })
        try pieces.look()
        let isLike = pieces.state.isLike(whole.state) || pieces.state.missesDamage(in: whole.state)
        try expect(isLike, "in pieces: \(pieces.state); in one: \(whole.state)")
        if let failure = whole.state.failure { try examine(failure) }
        if expectsWholeImages { try compare(whole, withDecodingOf: data) }
    }

    /// Stops at the first error, as `append` promises nothing behind it but that the image stays as it was.
    private func feed(_ feeding: Feeding, _ data: Data, cutInto lengths: [Int]) throws(ContractViolation) {
        guard !lengths.isEmpty else { return try feeding.feed(data) }
        var (rest, piece) = (data[...], 0)
        // Slices that begin anywhere are part of what comes in.
        while !rest.isEmpty {
            try feeding.feed(rest.prefix(lengths[piece % lengths.count]))
            rest = rest.dropFirst(lengths[piece % lengths.count])
            piece += 1
            if piece % 3 == 0 { try feeding.look() }
        }
    }

    private func examine(_ failure: DecodingFailure) throws(ContractViolation) {
        let isAllowed =
            switch failure {
            case .malformed(let format, _), .unsupported(let format, _): format == decoder.format
            case .limitExceeded(_, let value, let allowed): value > allowed
            case .truncated, .unknownFormat, .noSuchFrame, .cancelled: false
            }
        try expect(isAllowed, "appending must not throw \(failure)")
    }

    /// An image that decodes without an error is, when all of its bytes have come in, the same as decoded at once.
    private func compare(_ feeding: Feeding, withDecodingOf data: Data) throws(ContractViolation) {
        guard let preview = feeding.preview, let digest = Self.decoded(data, by: decoder, limits: limits, preview)
        else { return }
        // A kind of image that the decoder does not show in parts.
        if feeding.state.failure == nil, feeding.state.extent == .nothing { return }
        try expect(feeding.state.failure == nil, "fails where decoding does not: \(feeding.state)")
        try expect(feeding.state.extent.rows == preview.size.height, "all is there, but \(feeding.state) can be shown")
        try expect(feeding.state.digest == digest, "other pixels than decoded at once at \(preview.size)")
    }

    /// The digest of frame 0, or nil when the image can't be decoded to the end.
    private static func decoded(
        _ data: Data, by decoder: any ImageDecoder, limits: DecodingLimits, _ preview: Feeding.Preview
    ) -> Int? {
        let sink = ExaminingSink(rowBytes: preview.rowBytes, maximumRows: preview.size.height)
        do throws(DecodingFailure) {
            let image = try decoder.open(data, limits: limits)
            try image.decode(frame: 0, size: preview.size, layout: preview.layout, into: sink)
            return sink.digest
        } catch {
            return nil
        }
    }
}

/// An image that is being fed, with a look at it after each piece.
private final class Feeding {
    struct State: Hashable {
        var header: ImageHeader?
        var failure: DecodingFailure?
        var extent = PreviewExtent.nothing
        /// Of the rows of the last preview.
        var digest: Int?

        /// The same; of damaged files only that both fail in the same way. Which of several damages is found first, and how
        /// much has been decoded by then, may depend on the pieces.
        func isLike(_ other: State) -> Bool {
            if let failure, let otherFailure = other.failure {
                return State.kind(of: failure) == State.kind(of: otherFailure)
            }
            return self == other
        }

        /// All is shown here, where the other found damage: that may lie behind the last row, which need not be looked at.
        func missesDamage(in other: State) -> Bool {
            guard case .malformed = other.failure, failure == nil else { return false }
            return extent.passes > 0 && extent.rows > 0
        }

        private static func kind(of failure: DecodingFailure) -> DecodingFailure {
            if case .malformed(let format, _) = failure { .malformed(format, "") } else { failure }
        }
    }

    /// What was asked for with `start`.
    struct Preview {
        var size: PixelSize
        var layout: PixelLayout

        var rowBytes: Int { size.width * layout.bytesPerPixel }
    }

    private(set) var state = State()
    private(set) var preview: Preview?
    private let image: any IncrementalImage
    private let divisor: Int
    private let layout: PixelLayout?

    init(_ image: any IncrementalImage, divisor: Int, layout: PixelLayout?) {
        self.image = image
        self.divisor = max(1, divisor)
        self.layout = layout
    }

    func feed(_ piece: Data) throws(ContractViolation) {
        if state.failure != nil { return }
        if let failure = Self.failure({ () throws(DecodingFailure) in try image.append(piece) }) {
            state.failure = failure
        }
        try follow()
    }

    /// Takes note of the header when it is there, and starts.
    private func follow() throws(ContractViolation) {
        if let header = state.header {
            try expect(image.header?.storedSize == header.storedSize, "the header's size changed")
        } else if let header = image.header {
            state.header = header
            if state.failure == nil { try start(header) }
        }
        // Frames and metadata may still be found; what is known last counts.
        state.header = image.header
        try grow()
    }

    private func start(_ header: ImageHeader) throws(ContractViolation) {
        try expect(image.extent == .nothing, "\(image.extent) before start")
        let stored = header.storedSize
        let size = image.decodableSize(
            covering: PixelSize(width: max(1, stored.width / divisor), height: max(1, stored.height / divisor)))
        let preview = Preview(size: size, layout: layout ?? header.nativeLayout)
        try expect(image.heldBytes(size: size, layout: preview.layout) >= 0, "holds less than 0")
        self.preview = preview
        state.failure = Self.failure { () throws(DecodingFailure) in
            try image.start(size: preview.size, layout: preview.layout)
        }
    }

    private func grow() throws(ContractViolation) {
        let (old, new) = (state.extent, image.extent)
        // After a failure there may be nothing any more.
        if state.failure != nil, new == .nothing {
            (state.extent, state.digest) = (.nothing, nil)
            return
        }
        try expect(new.passes >= old.passes, "from \(old) to \(new)")
        try expect(new.passes > old.passes || new.rows >= old.rows, "from \(old) to \(new)")
        try expect((0...(preview?.size.height ?? 0)).contains(new.rows), "\(new) of \(String(describing: preview))")
        if new != old { state.digest = nil }
        state.extent = new
    }

    /// A preview has as many rows as the extent says, and shows the same as long as that stays the same.
    func look() throws(ContractViolation) {
        guard let preview, state.extent != .nothing else { return }
        let sink = ExaminingSink(rowBytes: preview.rowBytes, maximumRows: state.extent.rows)
        let failure = Self.failure { () throws(DecodingFailure) in try image.decodePreview(into: sink) }
        if let violation = sink.violation { throw ContractViolation("preview of \(state.extent): \(violation)") }
        // Some damage shows only when an image is made of what has come in.
        if case .malformed = failure { return state.digest = nil }
        try expect(failure == nil, "preview of \(state.extent): \(String(describing: failure))")
        try expect(sink.rows == state.extent.rows, "preview of \(state.extent): \(sink.rows) rows")
        // A scan that breaks in its middle has changed what there was; that is no image any more.
        try expect(
            state.failure != nil || state.digest == nil || state.digest == sink.digest,
            "two previews of \(state.extent) differ")
        state.digest = sink.digest
    }

    private static func failure(_ body: () throws(DecodingFailure) -> Void) -> DecodingFailure? {
        do throws(DecodingFailure) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
