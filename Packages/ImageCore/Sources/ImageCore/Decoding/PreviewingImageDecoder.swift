#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A decoder that also makes previews while the bytes of an image arrive.
public protocol PreviewingImageDecoder: SizedImageDecoder {
    /// Creates a session for one image.
    ///
    /// - Parameter throttle: How often to make previews.
    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> any DecodingSession
}

/// Decodes an image while its bytes arrive.
///
/// Promises:
/// - Previews get better, never worse: no preview shows less than the one before it.
/// - A preview is flagged as such (`DecodedImage.completeness`) and has the size of the final image.
/// - `finish` returns the same image as decoding all bytes at once.
///
/// Use it from one task at a time. Its methods are synchronous and CPU-bound, like the decoder's.
public protocol DecodingSession: AnyObject {
    /// Appends bytes.
    ///
    /// - Parameter elapsed: The time since a fixed moment. Only differences matter.
    /// - Returns: A preview if there is something new to show and the throttle allows it, otherwise nil.
    /// - Throws: `.cancelled`, or `.limitExceeded` if there are too many bytes. After other errors there are no more
    ///   previews; `finish` throws them.
    func append(
        _ bytes: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage?

    /// Returns the final image. Throws the errors of decoding all bytes at once.
    func finish(isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> DecodedImage
}

/// Decides when a preview is due. It uses no clock.
public struct PreviewThrottle: Hashable, Sendable {
    /// The minimum time between two previews.
    public var interval: Duration
    /// The minimum share of additional rows, from 0 to 1, of a preview without an additional pass.
    public var rowShare: Double

    /// Creates a throttle. By default, previews are at least 200 ms and an eighth of the rows apart.
    public init(interval: Duration = .milliseconds(200), rowShare: Double = 0.125) {
        self.interval = interval
        self.rowShare = rowShare
    }

    /// Allows every preview that shows something new.
    public static let none = PreviewThrottle(interval: .zero, rowShare: 0)

    /// Returns whether a preview is due.
    ///
    /// - Parameters:
    ///   - extent: The decoded part of the image, of `rowCount` rows.
    ///   - last: The extent of the last preview, and when it was made; nil before the first.
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
