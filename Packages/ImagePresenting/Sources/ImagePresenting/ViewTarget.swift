package import ImageCore

/// The size of a view, and how it shows an image.
package struct ViewSpace: Sendable {
    /// The size of the view in points.
    let points: (width: Double, height: Double)
    /// The number of pixels per point.
    let scale: Double
    let mode: ImageTarget.Mode

    /// Creates a space.
    ///
    /// - Parameters:
    ///   - points: The size of the view in points.
    ///   - scale: The number of pixels per point.
    package init(points: (width: Double, height: Double), scale: Double, mode: ImageTarget.Mode) {
        self.points = points
        self.scale = scale
        self.mode = mode
    }
}

/// The size to which the image of a view is decoded: that of the view, unless the request has a target.
///
/// It grows with the view, by a quarter at least: a view that grows point by point would decode its image for each. It does
/// not shrink, because an image that is large enough need not be loaded again.
package struct ViewTarget: Sendable {
    /// The length in points of a side that may have any length.
    package static let unlimited = 65_535.0

    private var request: ImageRequest?
    private var target: ImageTarget?
    /// Whether the target is larger than the view was, so that no other view has the image's size.
    private var isRoundedUp = false

    /// Creates a target for a view without a size.
    package init() {}

    /// Returns a request with the size of the view, or nil until the view has a size.
    package mutating func sized(_ request: ImageRequest, in space: ViewSpace) -> ImageRequest? {
        guard request.target == nil else { return request }
        if request != self.request {
            self.request = request
            target = nil
            isRoundedUp = false
        }
        let points = space.points
        guard points.width > 0, points.height > 0 else { return target == nil ? nil : sized(request) }
        let limits = [points.width, points.height].filter { $0 < Self.unlimited }
        guard !limits.isEmpty else { return request }
        // There is nothing to fill if one side may have any length.
        let wanted = ImageTarget(points: points, scale: space.scale, mode: limits.count == 2 ? space.mode : .fit)
        if target.map({ !$0.covers(wanted) }) ?? true { grow(to: wanted) }
        return sized(request)
    }

    private mutating func grow(to wanted: ImageTarget) {
        var next = wanted
        if let target, target.mode == wanted.mode {
            next.size.width = Self.side(target.size.width, growingTo: wanted.size.width)
            next.size.height = Self.side(target.size.height, growingTo: wanted.size.height)
        }
        isRoundedUp = next != wanted
        target = next
    }

    private static func side(_ side: Int, growingTo wanted: Int) -> Int {
        wanted > side ? max(wanted, side + side / 4) : wanted
    }

    private func sized(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.target = target
        if isRoundedUp, request.cachePolicy.memory.writes { request.cachePolicy.memory = .readOnly }
        return request
    }
}

extension ImageTarget {
    fileprivate func covers(_ other: ImageTarget) -> Bool {
        mode == other.mode && size.width >= other.size.width && size.height >= other.size.height
    }
}
