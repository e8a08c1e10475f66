/// What a scrolled list has cost, and shown.
public struct ScrollOutcome: Hashable, Sendable, Encodable {
    public var scenario: String
    /// Whether anything was loaded ahead of need.
    public var prefetches: Bool
    /// Rows that came onto the screen, as often as they did.
    public var appearances: Int
    /// Of these, with their image from the first frame on.
    public var atOnce: Int
    /// Of these, those that left without an image.
    public var blank: Int
    /// Images in the cell of another row.
    public var wrong: Int
    /// Transfers begun.
    public var transfers: Int
    /// Those beyond one for each image that was shown: of images never shown, and those that were cancelled and begun again.
    public var wastedTransfers: Int
    /// Of bodies, from the origin.
    public var transferredBytes: Int
    /// Those beyond one body for each image that was shown.
    public var wastedBytes: Int
    public var decodes: Int
    /// Those of images never shown.
    public var wastedDecodes: Int
    /// Processor time of the main actor, in all.
    public var mainMicroseconds: Double

    public static let wastedShareGoal = 0.1
    public static let mainMicrosecondsGoal = 20.0

    public var wastedTransferShare: Double { Double(wastedTransfers) / Double(max(1, transfers)) }
    public var wastedByteShare: Double { Double(wastedBytes) / Double(max(1, transferredBytes)) }
    public var wastedDecodeShare: Double { Double(wastedDecodes) / Double(max(1, decodes)) }
    public var mainMicrosecondsPerCell: Double { mainMicroseconds / Double(max(1, appearances)) }

    /// Whether the goals that are no times are met.
    public var meetsGoals: Bool {
        wrong == 0 && appearances > 0
            && max(wastedTransferShare, wastedByteShare, wastedDecodeShare) < Self.wastedShareGoal
    }
}
