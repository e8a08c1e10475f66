/// The results of a simulated scroll.
public struct ScrollOutcome: Hashable, Sendable {
    /// The number of times that a row appeared on the screen.
    public var appearances: Int
    /// The number of appearances with the image in the first frame.
    public var atOnce: Int
    /// The number of appearances that ended without an image.
    public var blank: Int
    /// The number of images shown in the cell of another row.
    public var wrong: Int
    /// The number of transfers started.
    public var transfers: Int
    /// The number of transfers in excess of one per shown image: for images never shown, and cancelled and restarted
    /// ones.
    public var wastedTransfers: Int
    /// The number of body bytes received from the origin.
    public var transferredBytes: Int
    /// The number of bytes in excess of one body per shown image.
    public var wastedBytes: Int
    /// The number of decodes.
    public var decodes: Int
    /// The number of decodes of images never shown.
    public var wastedDecodes: Int

    /// The upper limit of each wasted share.
    public static let wastedShareGoal = 0.1

    /// The wasted shares of the transfers, of the received bytes and of the decodes, from 0 to 1.
    public var wastedTransferShare: Double { Double(wastedTransfers) / Double(max(1, transfers)) }
    public var wastedByteShare: Double { Double(wastedBytes) / Double(max(1, transferredBytes)) }
    public var wastedDecodeShare: Double { Double(wastedDecodes) / Double(max(1, decodes)) }

    /// Whether all goals are met.
    public var meetsGoals: Bool {
        wrong == 0 && appearances > 0
            && max(wastedTransferShare, wastedByteShare, wastedDecodeShare) < Self.wastedShareGoal
    }
}
