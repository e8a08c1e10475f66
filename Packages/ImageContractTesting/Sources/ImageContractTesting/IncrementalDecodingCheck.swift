public import ImageCore

/// Checks an incremental decoder with arbitrary bytes, in pieces and as a whole, and compares the results.
///
/// The decoder must keep the promises of `IncrementalImage` or throw a typed error, as with `HostileInputCheck`.
public struct IncrementalDecodingCheck: Sendable {
    private let decoder: any IncrementalImageDecoder
    private let limits: DecodingLimits
    private let expectsWholeImages: Bool

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - decoder: The decoder under test.
    ///   - limits: The limits that the decoder must respect.
    ///   - expectsWholeImages: Whether the preview of a decodable file must be the whole image. False for formats whose
    ///     files can end without a marker, because the decoder waits for more bytes.
    public init(
        _ decoder: any IncrementalImageDecoder, limits: DecodingLimits = HostileInputCheck.smallLimits,
        expectsWholeImages: Bool = true
    ) {
        self.decoder = decoder
        self.limits = limits
        self.expectsWholeImages = expectsWholeImages
    }

    /// Checks a decoder with these bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes of a file. They may be damaged.
    ///   - lengths: The lengths of the pieces, which are repeated. Empty for a single piece. Lengths below 1 count as
    ///     1.
    ///   - divisor: The reduction of the previews, if the decoder can scale.
    ///   - layout: The layout of the previews, or nil for the native layout of the image.
    /// - Throws: `ContractViolation` if the decoder breaks a promise.
    public func check(
        _ data: Data, splitInto lengths: [Int], divisor: Int = 1, layout: PixelLayout? = .rgba8
    ) throws(ContractViolation) {
        let whole = try DecodingRun(decoder.makeIncrementalImage(limits: limits), divisor: divisor, layout: layout)
        try whole.feed(data)
        try whole.checkPreview()
        let pieces = try DecodingRun(decoder.makeIncrementalImage(limits: limits), divisor: divisor, layout: layout)
        try feed(pieces, data, splitInto: lengths.map { max(1, $0) })
        try pieces.checkPreview()
        try pieces.checkStopping()
        let matches = pieces.state.matches(whole.state) || pieces.state.missesDamage(in: whole.state)
        try expect(matches, "in pieces: \(pieces.state), as a whole: \(whole.state)")
        if let failure = whole.state.failure {
            try check(failure)
        } else if let size = whole.state.header?.storedSize {
            try expect(
                size.area <= limits.maxPixels && max(size.width, size.height) <= limits.maxSide,
                "\(size) is accepted, with \(limits)")
        }
        if expectsWholeImages { try compare(whole, withDecodingOf: data) }
    }

    /// Appends the data in pieces. Stops at the first error, because `append` doesn't support further calls.
    private func feed(_ run: DecodingRun, _ data: Data, splitInto lengths: [Int]) throws(ContractViolation) {
        guard !lengths.isEmpty else { return try run.feed(data) }
        var (rest, piece) = (data[...], 0)
        // The pieces are slices with any start index.
        while !rest.isEmpty {
            try run.feed(rest.prefix(lengths[piece % lengths.count]))
            rest = rest.dropFirst(lengths[piece % lengths.count])
            piece += 1
            if piece % 3 == 0 { try run.checkPreview() }
        }
    }

    private func check(_ failure: ImageDecodingError) throws(ContractViolation) {
        let isAllowed =
            switch failure {
            case .malformed(let format, _), .unsupported(let format, _): format == decoder.format
            case .limitExceeded(_, let value, let allowed): value > allowed
            case .truncated, .unknownFormat, .noSuchFrame, .workerFailed, .cancelled: false
            }
        try expect(isAllowed, "appending must not throw \(failure)")
    }

    /// Checks that the last preview of a decodable file equals the decoded image.
    private func compare(_ run: DecodingRun, withDecodingOf data: Data) throws(ContractViolation) {
        guard let preview = run.preview, let (header, digest) = decoded(data, preview) else { return }
        let found = run.state.header
        // Only the frames of an animation may say whether it has alpha, and the decoder doesn't have to read them.
        let hasSameAlpha = header.frameCount > 1 || found?.hasAlpha == header.hasAlpha
        try expect(
            found?.storedSize == header.storedSize && found?.format == header.format && hasSameAlpha,
            "the header is \(String(describing: found)), not \(header)")
        // The decoder doesn't support previews for this kind of image.
        if run.state.failure == nil, run.state.extent == .nothing { return }
        try expect(run.state.failure == nil, "fails although decoding succeeds: \(run.state)")
        try expect(
            run.state.extent.rows == preview.size.height, "all bytes are appended, but the state is \(run.state)")
        try expect(run.state.digest == digest, "other pixels than the decoded image at \(preview.size)")
    }

    /// Returns the header and the digest of frame 0, or nil if the image can't be decoded completely.
    private func decoded(_ data: Data, _ preview: DecodingRun.Preview) -> (header: ImageHeader, digest: Int)? {
        let sink = CheckingSink(rowBytes: preview.rowBytes, maximumRows: preview.size.height)
        do throws(ImageDecodingError) {
            let image = try decoder.open(data, limits: limits)
            try image.decode(frame: 0, size: preview.size, layout: preview.layout, into: sink)
            return (image.header, sink.digest)
        } catch {
            return nil
        }
    }
}

/// An incremental image and its state, which is checked after each piece.
private final class DecodingRun {
    struct State: Hashable {
        var header: ImageHeader?
        var failure: ImageDecodingError?
        var extent = PreviewExtent.nothing
        /// The digest of the last preview.
        var digest: Int?

        /// Whether the states are equal, or both have a failure of the same kind.
        ///
        /// The pieces may determine which of several damages is found first, and how much is decoded before it.
        func matches(_ other: State) -> Bool {
            if let failure, let otherFailure = other.failure {
                return State.kind(of: failure) == State.kind(of: otherFailure)
            }
            return self == other
        }

        /// Whether this state has a whole image, but the other a failure.
        ///
        /// The damage may be after the last row, which a decoder doesn't have to read.
        func missesDamage(in other: State) -> Bool {
            guard case .malformed = other.failure, failure == nil else { return false }
            return extent.passes > 0 && extent.rows > 0
        }

        private static func kind(of failure: ImageDecodingError) -> ImageDecodingError {
            if case .malformed(let format, _) = failure { .malformed(format, "") } else { failure }
        }
    }

    /// The arguments of `start`.
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

    init(_ image: any IncrementalImage, divisor: Int, layout: PixelLayout?) throws(ContractViolation) {
        self.image = image
        self.divisor = max(1, divisor)
        self.layout = layout
        try expect(image.header == nil && image.extent == .nothing, "there is a header or a preview without bytes")
    }

    func feed(_ piece: Data) throws(ContractViolation) {
        if state.failure != nil { return }
        state.failure = thrownError { () throws(ImageDecodingError) in try image.append(piece) }
        try update()
    }

    /// Updates the state after a piece. Starts the previews when the header is available.
    private func update() throws(ContractViolation) {
        if let header = state.header {
            try expect(image.header?.storedSize == header.storedSize, "the header's size changed")
        } else if let header = image.header {
            state.header = header
            if state.failure == nil { try start(header) }
        }
        // Later pieces can add frames and metadata to the header.
        state.header = image.header
        try updateExtent()
    }

    private func start(_ header: ImageHeader) throws(ContractViolation) {
        try expect(image.extent == .nothing, "\(image.extent) before start")
        let stored = header.storedSize
        let size = image.decodableSize(
            covering: PixelSize(width: max(1, stored.width / divisor), height: max(1, stored.height / divisor)))
        let preview = Preview(size: size, layout: layout ?? header.nativeLayout)
        try expect(image.heldByteCount(size: size, layout: preview.layout) >= 0, "needs less than 0 bytes")
        self.preview = preview
        state.failure = thrownError { () throws(ImageDecodingError) in
            try image.start(size: preview.size, layout: preview.layout)
        }
    }

    private func updateExtent() throws(ContractViolation) {
        let (old, new) = (state.extent, image.extent)
        // After a failure, there are no more previews.
        if state.failure != nil {
            state.extent = .nothing
            state.digest = nil
            return
        }
        try expect(new.passes >= old.passes, "from \(old) to \(new)")
        try expect(new.passes > old.passes || new.rows >= old.rows, "from \(old) to \(new)")
        try expect((0...(preview?.size.height ?? 0)).contains(new.rows), "\(new) of \(String(describing: preview))")
        if new != old { state.digest = nil }
        state.extent = new
    }

    /// Checks that a preview has as many rows as its extent says, and is the same for the same extent.
    func checkPreview() throws(ContractViolation) {
        guard let preview, state.extent != .nothing else { return }
        let sink = CheckingSink(rowBytes: preview.rowBytes, maximumRows: state.extent.rows)
        let failure = thrownError { () throws(ImageDecodingError) in try image.decodePreview(into: sink) }
        if let violation = sink.violation { throw ContractViolation("preview of \(state.extent): \(violation)") }
        // Some damage is only found when a preview is decoded.
        if case .malformed = failure { return state.digest = nil }
        try expect(failure == nil, "preview of \(state.extent): \(String(describing: failure))")
        try expect(sink.rows == state.extent.rows, "preview of \(state.extent): \(sink.rows) rows")
        try expect(
            state.digest == nil || state.digest == sink.digest, "two previews of \(state.extent) differ")
        state.digest = sink.digest
    }

    /// Checks that a sink that throws in the middle is not called again, and that the preview stays the same.
    func checkStopping() throws(ContractViolation) {
        guard let preview, state.digest != nil, state.extent.rows > 0 else { return }
        let sink = CheckingSink(
            rowBytes: preview.rowBytes, maximumRows: state.extent.rows, stopsAfter: state.extent.rows / 2)
        let failure = thrownError { () throws(ImageDecodingError) in try image.decodePreview(into: sink) }
        if let violation = sink.violation {
            throw ContractViolation("preview of \(state.extent), stopped: \(violation)")
        }
        try expect(failure == .cancelled, "preview of \(state.extent), stopped: \(String(describing: failure))")
        try checkPreview()
    }
}
