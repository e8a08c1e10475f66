import ImageCore
public import ImageLoading

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageVariants {
    /// Variants of the images of the demo server, which draws them in any size. Images of other servers have none.
    public static let demo = ImageVariants { variant in
        guard var parts = URLComponents(url: variant.source, resolvingAgainstBaseURL: true),
            parts.path.hasPrefix("/images/"), let dot = parts.path.lastIndex(of: ".")
        else { return nil }
        var items = Dictionary(
            (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        let sides = [items["w"], items["h"]].map { $0.flatMap { Int($0) } ?? 0 }
        guard sides.allSatisfy((1...65_535).contains) else { return nil }
        let (width, height) = (Double(sides[0]), Double(sides[1]))
        let scales = [variant.width.map { Double($0) / width }, variant.height.map { Double($0) / height }].compactMap(
            \.self)
        let scale = min((variant.mode == .fill ? scales.max() : scales.min()) ?? 1, 1)
        items["w"] = "\(max(1, Int((width * scale).rounded())))"
        items["h"] = "\(max(1, Int((height * scale).rounded())))"
        items["quality"] = "\(variant.quality)"
        (items["progressive"], items["lossless"]) = (nil, nil)
        parts.path = parts.path[..<dot] + ".webp"
        parts.queryItems = items.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
        return parts.url
    }
}
