import ImageCore

/// A cache of the current frame of an animation and as many of the next ones as fit. A pure state machine.
struct FrameWindow {
    /// The number of frames to decode ahead of the current one, unless all frames fit.
    static let lookahead = 7

    /// The maximum number of frames, at least 1.
    private(set) var capacity = 1
    private let frameCount: Int
    private let frameByteCount: Int
    /// Whether the first frame follows the last.
    private let repeats: Bool
    private var frames: [Int: Bitmap] = [:]
    /// The frame that was requested last.
    private var current = 0

    init(frameCount: Int, frameByteCount: Int, repeats: Bool) {
        self.frameCount = frameCount
        self.frameByteCount = max(1, frameByteCount)
        self.repeats = repeats
    }

    subscript(index: Int) -> Bitmap? { frames[index] }

    /// Moves the window to a frame and releases the frames outside of it.
    ///
    /// - Parameter byteLimit: The maximum size of all frames in bytes. One frame is kept even if it is larger.
    mutating func move(to index: Int, within byteLimit: Int) {
        current = index
        resize(to: byteLimit)
    }

    /// Changes the maximum size of all frames, and releases those that don't fit.
    mutating func resize(to byteLimit: Int) {
        let fitting = max(1, byteLimit / frameByteCount)
        capacity = fitting >= frameCount ? frameCount : min(fitting, 1 + Self.lookahead)
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
