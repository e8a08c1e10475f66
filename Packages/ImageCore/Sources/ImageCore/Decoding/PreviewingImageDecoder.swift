#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decoder that can also show images while their bytes are coming in.
public protocol PreviewingImageDecoder: SizedImageDecoder {
    /// The decoding of one image of which nothing has come in yet.
    ///
    /// - Parameter throttle: how often a preview is worth its work.
    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> any DecodingSession
}

/// One image that is decoded while its bytes come in.
///
/// Promises:
/// - Previews get better, never worse: no preview shows less than the one before it.
/// - A preview is flagged as such (`DecodedImage.completeness`) and has the size of the final image.
/// - The image that `finish` gives is the one that decoding all bytes at once gives, and nothing comes after it.
///
/// Belongs to one task at a time; not `Sendable`. Synchronous and processor-bound, like the decoder.
public protocol DecodingSession: AnyObject {
    /// Takes the bytes that follow those taken before.
    ///
    /// - Parameter elapsed: time since any fixed moment; only differences count.
    /// - Returns: a preview when there is something new to see and the throttle lets it pass, else nil.
    /// - Throws: `.cancelled`, and `.limitExceeded` as soon as there are too many bytes. What else is wrong with them is for
    ///   `finish` to tell; until then there are no more previews.
    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage?

    /// The final image from the bytes that have come. Throws what decoding them at once throws.
    func finish(isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> DecodedImage
}

/// Says when a preview is due. A value: it knows no clock.
public struct PreviewThrottle: Hashable, Sendable {
    /// The least time between two previews.
    public var interval: Duration
    /// The least part of the rows, from 0 to 1, that a preview must have more than the one before it, unless it has another
    /// pass.
    public var rowShare: Double

    public init(interval: Duration = .milliseconds(200), rowShare: Double = 0.125) {
        self.interval = interval
        self.rowShare = rowShare
    }

    /// Every preview that shows anything new.
    public static let none = PreviewThrottle(interval: .zero, rowShare: 0)

    /// Whether what can be seen now is worth a preview.
    ///
    /// - Parameters:
    ///   - extent: what can be seen, of `rowCount` rows.
    ///   - last: what the last preview showed and when it was made; nil before the first.
    public func isDue(
        _ extent: PreviewExtent, of rowCount: Int, at elapsed: Duration, after last: (PreviewExtent, Duration)?
    ) -> Bool {
        guard extent.rows > 0 else { return false }
        let needed = max(1, rowShare * Double(rowCount))
        guard let (shown, moment) = last else { return Double(extent.rows) >= needed || extent.passes > 1 }
        if elapsed - moment < interval { return false }
        return extent.passes > shown.passes || Double(extent.rows - shown.rows) >= needed
    }
}
