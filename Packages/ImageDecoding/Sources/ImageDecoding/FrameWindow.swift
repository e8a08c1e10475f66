import ImageCore

/// Which frames of an animation are kept: those that are seen next, as many as fit. A pure state machine.
struct FrameWindow {
    /// How many frames fit, at least 1.
    let capacity: Int
    private let frameCount: Int
    /// Whether the first frame follows the last.
    private let repeats: Bool
    private var frames: [Int: Bitmap] = [:]
    /// The frame that was asked for last.
    private var current = 0

    /// - Parameters:
    ///   - byteLimit: for all frames together; one frame is kept even when it is larger.
    ///   - lookahead: how many frames after the current one are wanted beforehand.
    init(frameCount: Int, frameByteCount: Int, byteLimit: Int, lookahead: Int, repeats: Bool) {
        self.frameCount = frameCount
        self.repeats = repeats
        let fitting = max(1, byteLimit / max(1, frameByteCount))
        capacity = fitting >= frameCount ? frameCount : min(fitting, 1 + max(0, lookahead))
    }

    subscript(index: Int) -> Bitmap? { frames[index] }

    var byteCount: Int { frames.values.reduce(0) { $0 + $1.byteCount } }

    /// Moves to a frame and lets go of those that are not wanted from there.
    mutating func move(to index: Int) {
        current = index
        frames = frames.filter { isWanted($0.key) }
    }

    /// The first wanted frame that is missing, in the order in which they are seen.
    var nextMissing: Int? {
        (0..<capacity).lazy.compactMap(frame(after:)).first { frames[$0] == nil }
    }

    /// Keeps a frame if it is still wanted.
    mutating func insert(_ bitmap: Bitmap, at index: Int) {
        if isWanted(index) { frames[index] = bitmap }
    }

    private func isWanted(_ index: Int) -> Bool {
        let distance = index - current
        if distance >= 0 { return distance < capacity }
        return repeats && distance + frameCount < capacity || capacity == frameCount
    }

    /// The frame that is seen `distance` frames after the current one, or nil when there is none.
    private func frame(after distance: Int) -> Int? {
        let index = current + distance
        if index < frameCount { return index }
        return repeats || capacity == frameCount ? index - frameCount : nil
    }
}
