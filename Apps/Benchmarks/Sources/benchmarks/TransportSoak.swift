import CDiskFloor
import CTransportFloor
import Foundation
import ImageTransportCurl

/// The memory of one transport over many requests.
struct SoakFigures: Encodable {
    var requests: Int
    var samples: [Sample]

    struct Sample: Encodable {
        var requests: Int
        var residentBytes: Int
        /// The bytes allocated with malloc and not freed.
        var heapBytes: Int
    }

    static let heading = "requests      resident, MB         heap (malloc), MB"

    var line: String {
        let lines = samples.map { String(format: "%8d  %12.2f  %12.2f", $0.requests, $0.megabytes.0, $0.megabytes.1) }
        return (lines + [summary("resident", \.megabytes.0), summary("malloc", \.megabytes.1)]).joined(separator: "\n")
    }

    private func summary(_ name: String, _ value: (Sample) -> Double) -> String {
        let values = samples.map(value)
        return String(
            format: "%@: first %.2f, last %.2f, maximum %.2f MB", name, values.first ?? 0, values.last ?? 0,
            values.max() ?? 0)
    }
}

extension SoakFigures.Sample {
    fileprivate var megabytes: (Double, Double) { (Double(residentBytes) / 1e6, Double(heapBytes) / 1e6) }
}

/// Measures the memory of one transport over many requests.
enum TransportSoak {
    private static let sampleCount = 20

    /// Takes a sample after each twentieth of the requests. The first follows a warm-up of a twentieth.
    @concurrent
    static func run(requests: Int) async throws -> SoakFigures {
        let origin = try LoopbackOrigin()
        let transport = CurlTransport()
        let step = max(1, requests / sampleCount)
        try await CurlTransportContender.fetch(step, from: origin.port, with: transport)
        var samples = [sample(0)]
        for index in 1...sampleCount {
            try await CurlTransportContender.fetch(step, from: origin.port, with: transport)
            samples.append(sample(index * step))
        }
        return SoakFigures(requests: requests, samples: samples)
    }

    private static func sample(_ requests: Int) -> SoakFigures.Sample {
        SoakFigures.Sample(
            requests: requests, residentBytes: Int(floor_resident_bytes()), heapBytes: Int(floor_heap_bytes()))
    }
}
