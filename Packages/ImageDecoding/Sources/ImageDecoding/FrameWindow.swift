import ImageCore

/// A cache of the current frame of an animation and as many of the next ones as fit. A pure state machine.
struct FrameWindow {
    /// The maximum number of frames, at least 1.
    let capacity: Int
    private let frameCount: Int
    /// Whether the first frame follows the last.
    private let repeats: Bool
    private var frames: [Int: Bitmap] = [:]
    /// The frame that was requested last.
    private var current = 0

    /// - Parameters:
    ///   - byteLimit: The maximum size of all frames in bytes. One frame is kept even if it is larger.
    ///   - lookahead: The number of frames to decode ahead of the current one.
    init(frameCount: Int, frameByteCount: Int, byteLimit: Int, lookahead: Int, repeats: Bool) {
        self.frameCount = frameCount
        self.repeats = repeats
        let fitting = max(1, byteLimit / max(1, frameByteCount))
        capacity = fitting >= frameCount ? frameCount : min(fitting, 1 + min(max(0, lookahead), frameCount))
    }

    subscript(index: Int) -> Bitmap? { frames[index] }

    var byteCount: Int { frames.values.reduce(0) { $0 + $1.byteCount } }

    /// Moves the window to a frame and releases the frames outside of it.
    mutating func move(to index: Int) {
        current = index
        frames = frames.filter { isInWindow($0.key) }
    }

    /// The first missing frame of the window, in playing order.
    var nextMissing: Int? {
        (0..<capacity).lazy.compactMap(frame(after:)).first { frames[$0] == nil }
    }

    /// Stores a frame if it is inside the window.
    mutating func insert(_ bitmap: Bitmap, at index: Int) {
        if isInWindow(index) { frames[index] = bitmap }
    }

    private func isInWindow(_ index: Int) -> Bool {
        let distance = index - current
        if distance >= 0 { return distance < capacity }
        return repeats && distance + frameCount < capacity || capacity == frameCount
    }

    /// Returns the frame that is `distance` frames after the current one in playing order, or nil if there is none.
    private func frame(after distance: Int) -> Int? {
        let index = current + distance
        if index < frameCount { return index }
        return repeats || capacity == frameCount ? index - frameCount : nil
    }
}
