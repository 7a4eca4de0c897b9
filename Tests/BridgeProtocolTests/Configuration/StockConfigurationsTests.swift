import BridgeProtocol
import Testing

@Suite struct StockConfigurationsTests {
  @Test func theFourAreThereByName() {
    #expect(
      MockConfiguration.stock.map(\.name) == [
        "Heart Rate Monitor", "Device Information", "Multi-Service Sensor", "Dense Sensor Environment",
      ])
    #expect(MockConfiguration.stock.map(\.devices.count) == [1, 1, 2, 12])
    #expect(MockConfiguration.stock(named: "heart rate monitor")?.devices[0].name == "Polar H10")
    #expect(MockConfiguration.stock(named: "Heart") == nil)
  }

  @Test func identifiersNeverChange() {
    #expect(MockConfiguration.stock[0].devices[0].id.text == "AE68D501-72B5-8BCD-AF81-8E8335482E31")
    let ids = MockConfiguration.stock.flatMap { $0.devices.map(\.id) }
    #expect(Set(ids).count == 16)
  }

  @Test(arguments: MockConfiguration.stock)
  func eachIsAGoodUpload(_ configuration: MockConfiguration) throws {
    #expect(try MockConfiguration(upload: JSONText(configuration.json())) == configuration)
  }

  @Test func theDenseEnvironmentIsAsDescribed() throws {
    let devices = try #require(MockConfiguration.stock(named: "Dense Sensor Environment")).devices
    #expect(devices.map(\.rssi) == [-38, -62, -44, -51, -57, -63, -48, -35, -72, -85, -67, -74])
    let hub = devices[7]
    #expect(hub.pairingMode == .justWorks)
    #expect(hub.services[0].characteristics.map(\.securityLevel) == [.none, .encryption, .encryption])
    #expect(hub.services[0].characteristics[2].properties.rawValue == 0x14)
    #expect(devices.filter { !$0.isConnectable }.map(\.name) == ["Beacon Lobby", "Beacon Hallway 2F"])
    #expect(devices[8].manufacturerData?.count == 25)
  }
}
